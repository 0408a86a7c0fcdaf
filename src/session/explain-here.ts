import type { Diagnostic } from "../contract/diagnostic.ts";
import type { WrittenCall } from "../permissions/parse-call.ts";
import type { CallExplanation } from "../resolve/explain-call.ts";
import type { Explanation } from "../resolve/explain.ts";
import type { House } from "../spawn.ts";

/** Explains what a session would do. Everything for it is loaded on demand: a run needs none of it. */
export async function explainType(
  type: string,
  diagnostics: Diagnostic[],
  house: House,
): Promise<Explanation> {
  const { loadSkills } = await import("../definitions/skills.ts");
  const { explainAgent } = await import("../resolve/explain.ts");
  return explainAgent(type, {
    ...house.surroundings,
    catalog: (await house.files.now()).catalog,
    diagnostics,
    skills: (await loadSkills(house.configuration.skillPlaces)).skills,
    mode: house.meets.mode,
  });
}

export async function explainCallOf(
  type: string,
  call: string | WrittenCall,
  house: House,
): Promise<CallExplanation> {
  const { parseCall } = await import("../permissions/parse-call.ts");
  const { explainCall } = await import("../resolve/explain-call.ts");
  const { session, surroundings, meets } = house;
  const { catalog } = await house.files.now();
  const definition = catalog.find(type);
  if (definition === undefined) throw catalog.notFound(type);
  return explainCall(typeof call === "string" ? parseCall(call) : call, {
    definition,
    isMain: false,
    catalog,
    meets,
    surroundings,
    grants: (holder) => session.grants.rulesFor({ id: "", ...holder }, { session: true }),
  });
}
