import { describe, expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { settingsSchema } from "../settings/settings.ts";
import { Catalog } from "./catalog.ts";
import type { AgentDefinition } from "./definition.ts";
import { sources, type SourceName } from "./sources.ts";

function definition(
  name: string,
  source: SourceName,
  more: Partial<AgentDefinition> = {},
): AgentDefinition {
  return { name, description: "d", prompt: source, source, file: null, ...more };
}
const options = { settings: settingsSchema.parse({}), entrypoint: "cli" } as const;

describe("Catalog", () => {
  test("for one name the higher source wins, whatever the order of loading", () => {
    const names = Object.keys(sources) as SourceName[];
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: 1 }), (order) => {
        const catalog = new Catalog(
          order.map((source) => definition("a", source)),
          options,
        );
        const best = order.toSorted((a, b) => sources[b] - sources[a])[0];
        expect(catalog.find("a")?.source).toBe(best);
        expect(catalog.list()).toHaveLength(1);
      }),
    );
  });

  test("within a source the nearer one, which comes first, wins", () => {
    const catalog = new Catalog(
      [
        definition("a", "project", { prompt: "near" }),
        definition("a", "project", { prompt: "far" }),
      ],
      options,
    );
    expect(catalog.find("a")?.prompt).toBe("near");
  });

  test("a project's file that takes the name of a read-only agent is read-only too", () => {
    const catalog = new Catalog(
      [
        definition("Explore", "project"),
        definition("plan", "project", { readOnly: false }),
        definition("Verification", "project", { readOnly: true }),
        definition("Review", "user"),
        definition("Explore", "built-in", { readOnly: true }),
        definition("Plan", "built-in", { readOnly: true }),
        definition("Verification", "built-in", { readOnly: "unless-allowed" }),
        definition("Review", "built-in", { readOnly: true }),
      ],
      options,
    );
    expect(catalog.find("Explore")).toMatchObject({ source: "project", readOnly: true });
    expect(catalog.find("plan")).toMatchObject({ source: "project", readOnly: true });
    expect(catalog.find("Verification")).toMatchObject({ source: "project", readOnly: true });
    // The user's own word.
    expect(catalog.find("Review")?.readOnly).toBeUndefined();
  });

  test("finds by name without regard to case and separators, and by alias", () => {
    const catalog = new Catalog(
      [
        definition("code-reviewer", "user"),
        definition("claude-code-guide", "built-in", { aliases: ["guide"] }),
      ],
      options,
    );
    for (const type of ["code-reviewer", "Code Reviewer", "code_reviewer", "CodeReviewer"]) {
      expect(catalog.find(type)?.name).toBe("code-reviewer");
    }
    expect(catalog.find("Guide")?.name).toBe("claude-code-guide");
    expect(catalog.find("constructor")).toBeUndefined();
  });

  test("an unknown type is answered with what was probably meant and what there is", () => {
    const catalog = new Catalog(
      [definition("Explore", "built-in"), definition("Plan", "built-in")],
      options,
    );
    expect(catalog.notFound("exlpore").message).toBe(
      "Agent type 'exlpore' not found. Did you mean 'Explore'? Available agents: Explore, Plan",
    );
    expect(catalog.notFound("zzzzzzzz").message).toBe(
      "Agent type 'zzzzzzzz' not found. Available agents: Explore, Plan",
    );
  });

  test("a built-in can be switched off, and one for another surface is not offered", () => {
    const settings = settingsSchema.parse({ agents: { builtins: { Explore: false } } });
    const definitions = [
      definition("Explore", "built-in"),
      definition("worker", "built-in", { entrypoints: ["coordinator"] }),
    ];
    expect(new Catalog(definitions, { settings, entrypoint: "cli" }).list()).toEqual([]);
    const mine = new Catalog([definition("Explore", "project"), ...definitions], {
      settings,
      entrypoint: "cli",
    });
    expect(mine.find("Explore")?.source).toBe("project");
  });
});
