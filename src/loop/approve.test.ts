import { expect, test } from "vitest";
import { leafTool } from "../tools/tool.ts";
import { looseTool } from "./agent-fixture.ts";
import { approve } from "./approve.ts";
import type { LoopContext } from "./loop-context.ts";

const tool = leafTool({
  ...looseTool,
  name: "Command",
  repeatable: false,
  execute: () => Promise.resolve({ content: "" }),
});

const allowed = { verdict: "allow", reason: "", rule: null, part: null, suggestions: [] };

/** A journal that hands back the decision that it holds. */
function replaying(decision: object): LoopContext {
  const recorded: unknown = JSON.parse(JSON.stringify({ decision }));
  return {
    steps: { run: () => Promise.resolve(recorded) },
    history: { messages: [], turns: 0, pending: null },
  } as unknown as LoopContext;
}

test.each([
  ["as it was recorded", { ...allowed, confinedTo: "look" }, "look"],
  ["and nothing where an older version recorded it", allowed, null],
])("a resumed call is confined to what was decided, %s", async (_, decision, confinedTo) => {
  const call = { id: "1", name: "Command", input: {} };
  expect(await approve(replaying(decision), tool, call, {})).toMatchObject({
    allowed: true,
    confinedTo,
  });
});
