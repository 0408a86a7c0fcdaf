import type { Diagnostic } from "../contract/diagnostic.ts";
import type { WrittenCall } from "../permissions/parse-call.ts";
import type { CallExplanation } from "../resolve/explain-call.ts";
import type { Explanation } from "../resolve/explain.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/** Explains what a session would do. Everything for it is loaded on demand: a run needs none of it. */
export async function explainType(
  type: string,
  diagnostics: Diagnostic[],
  runtime: SessionRuntime,
): Promise<Explanation> {
  const { loadSkills } = await import("../definitions/skills.ts");
  const { explainAgent } = await import("../resolve/explain.ts");
  return explainAgent(type, {
    ...runtime.surroundings,
    catalog: (await runtime.files.now()).catalog,
    diagnostics,
    skills: (await loadSkills(runtime.configuration.skillPlaces)).skills,
    mode: runtime.meets.mode,
  });
}

export async function explainCallOf(
  type: string,
  call: string | WrittenCall,
  runtime: SessionRuntime,
): Promise<CallExplanation> {
  const { parseCall } = await import("../permissions/parse-call.ts");
  const { explainCall } = await import("../resolve/explain-call.ts");
  const { session, surroundings, meets } = runtime;
  const { catalog } = await runtime.files.now();
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
