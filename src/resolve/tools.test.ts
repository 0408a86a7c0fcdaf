import { expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { knownTool } from "../tools/known-tools.ts";
import type { ToolQuestion } from "./tool-layers.ts";
import { resolveTools as resolve, type ResolvedTools } from "./tools.ts";

/** Asks with names, which stand for the tools that this version knows by them. */
function resolveTools(
  question: Omit<ToolQuestion, "available"> & { available: readonly string[] },
): ResolvedTools {
  return resolve({ ...question, available: question.available.map(knownTool) });
}

const available = ["Agent", "Bash", "Edit", "Read"];
const base = {
  type: "x",
  available,
  wanted: undefined,
  unwanted: undefined,
  denied: [],
  isMain: false,
  atDepthLimit: false,
  background: false,
  backgroundMcp: false,
  mode: "default",
  readOnly: false,
  memory: null,
} as const;

test("without a list an agent gets all tools, and may spawn any type", () => {
  expect(resolveTools(base)).toMatchObject({
    tools: available,
    spawn: { allowed: true, types: "any" },
  });
});

test("only an agent in plan mode can hand over a plan", () => {
  const planning = { ...base, available: ["ExitPlanMode", "Read"] };
  expect(resolveTools({ ...planning, mode: "plan" }).tools).toEqual(["ExitPlanMode", "Read"]);
  const { tools, report } = resolveTools({ ...planning, wanted: ["ExitPlanMode", "Read"] });
  expect(tools).toEqual(["Read"]);
  expect(report).toContainEqual({
    tool: "ExitPlanMode",
    kept: false,
    layer: "plan mode",
    why: "only in plan mode",
  });
});

test("a child may ask a person only if its definition names the tool, and never in the background", () => {
  const asking = { ...base, available: ["AskUserQuestion", "Read"] };
  expect(resolveTools({ ...asking, isMain: true }).tools).toEqual(["AskUserQuestion", "Read"]);
  expect(resolveTools({ ...asking, wanted: ["*"] }).tools).toEqual(["Read"]);
  const { tools, report } = resolveTools(asking);
  expect(tools).toEqual(["Read"]);
  expect(report[0]).toMatchObject({ layer: "subagents", why: "children must name it in 'tools'" });
  const named = { ...asking, wanted: ["AskUserQuestion", "Read"] };
  expect(resolveTools(named).tools).toEqual(["AskUserQuestion", "Read"]);
  expect(resolveTools({ ...named, background: true }).tools).toEqual(["Read"]);
});

test("a tool named in both lists is removed", () => {
  const { tools, report } = resolveTools({
    ...base,
    wanted: ["Read", "Bash"],
    unwanted: ["Bash(rm *)"],
  });
  expect(tools).toEqual(["Read"]);
  expect(report.find((decision) => decision.tool === "Bash")).toMatchObject({
    kept: false,
    why: "named in 'disallowedTools'",
  });
});

test("aliases and rules name the tool that they are about", () => {
  expect(resolveTools({ ...base, wanted: ["FileRead", "Bash(git diff *)", "Task"] }).tools).toEqual(
    ["Agent", "Bash", "Read"],
  );
});

test("the order is that of the registry, not of the list: it is part of the cached prefix", () => {
  expect(resolveTools({ ...base, wanted: ["Read", "Edit", "Bash"] }).tools).toEqual([
    "Bash",
    "Edit",
    "Read",
  ]);
});

test("at the depth limit there is no Agent tool and no right to spawn", () => {
  expect(resolveTools({ ...base, wanted: ["Agent", "Read"], atDepthLimit: true })).toMatchObject({
    tools: ["Read"],
    spawn: { allowed: false },
  });
});

test("Agent(a, b) restricts to those types", () => {
  expect(resolveTools({ ...base, wanted: ["Agent(a, b)", "Read"] }).spawn).toEqual({
    allowed: true,
    types: ["a", "b"],
  });
  expect(resolveTools({ ...base, wanted: ["Agent(a)", "Agent"] }).spawn).toEqual({
    allowed: true,
    types: "any",
  });
  expect(resolveTools({ ...base, wanted: ["Read"] }).spawn).toEqual({ allowed: false });
});

test("a list of which nothing is left refuses, naming each entry's reason", () => {
  const refusal = (wanted: string[]): string | undefined =>
    resolveTools({ ...base, wanted }).refusal?.message;
  expect(refusal(["read"])).toMatch(/read: no such tool here/);
  expect(refusal([])).toMatch(/the list is empty/);
  expect(refusal(["Read"])).toBeUndefined();
});

test("naming one more tool as unwanted never adds a tool", () => {
  const lists = fc.uniqueArray(fc.constantFrom(...available, "Nope"));
  fc.assert(
    fc.property(
      fc.option(lists, { nil: undefined }),
      lists,
      fc.constantFrom(...available),
      fc.boolean(),
      (wanted, unwanted, one, atDepthLimit) => {
        const get = (list: string[]): string[] => {
          try {
            return resolveTools({ ...base, wanted, unwanted: list, atDepthLimit }).tools;
          } catch {
            return [];
          }
        };
        const fewer = get([...unwanted, one]);
        expect(get(unwanted)).toEqual(expect.arrayContaining(fewer));
        expect(fewer).not.toContain(one);
      },
    ),
  );
});

test("a rule in the list confines its tool, unless the tool is named without one too", () => {
  expect(
    resolveTools({ ...base, wanted: ["Bash(git diff *)", "Read", "Agent(a)"] }).confined,
  ).toEqual([{ tools: ["Bash"], rules: ["Bash(git diff *)"] }]);
  expect(resolveTools({ ...base, wanted: ["Bash(git diff *)", "Bash"] }).confined).toEqual([]);
});
