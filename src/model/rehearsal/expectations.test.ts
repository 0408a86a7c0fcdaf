import { expect, test } from "vitest";
import type { ObservedAgent } from "./expectations.ts";
import { checkExpectations } from "./expectations.ts";
import { parseScenario } from "./scenario.ts";

const explorer: ObservedAgent = {
  type: "Explore",
  task: "Find the tests",
  state: "completed",
  tools: ["Glob", "Grep", "Read", "Grep"],
  result: "3 places",
};
const helper: ObservedAgent = {
  type: "general-purpose",
  task: "Fix the sum",
  state: "failed",
  tools: [],
  result: "gave up",
};

test.each([
  "agent: Explore",
  "agent: explore, count: 1, state: completed, tools: [Grep, Read], result: /^\\d+ places$/",
  "agent: General Purpose, state: failed",
  "agent: Plan, count: 0",
  "count: 2",
  "task: sum, count: 1, state: failed",
  "agent: Explore, tools: [Grep, Grep]",
  "unused: 1",
  "unused: 2",
])("{ %s } is met", (expectation) => {
  expect(broken(expectation)).toEqual([]);
});

test.each([
  ["agent: Plan", "No agent of Plan ran."],
  [
    "agent: Explore, task: /nothing/",
    "No agent of Explore with a task that matches /nothing/ ran.",
  ],
  [
    "agent: Explore, count: 2",
    "Expected 2 agents of Explore, but there were 1 (agents that ran: Explore, general-purpose).",
  ],
  [
    "agent: general_purpose, state: completed",
    'general-purpose ("Fix the sum") should have ended as completed, but ended as failed: "gave up".',
  ],
  [
    "agent: Explore, tools: [Read, Grep, Glob]",
    'Explore ("Find the tests") should have called Read, Grep, Glob in this order, but Glob is missing; it called Glob, Grep, Read, Grep.',
  ],
  [
    "agent: Explore, tools: [Read, Read]",
    'Explore ("Find the tests") should have called Read, Read in this order, but Read is missing; it called Glob, Grep, Read, Grep.',
  ],
  [
    "agent: Explore, result: /no place/",
    'The result of Explore ("Find the tests") should match /no place/, but it is "3 places".',
  ],
  [
    "unused: 0",
    "Expected at most 0 turns that no request reaches, but there are 1: line 2 (any agent).",
  ],
])("{ %s } is broken", (expectation, sentence) => {
  expect(broken(expectation)).toEqual([`x.yaml:4: ${sentence}`]);
});

test("an expectation without a count holds for every agent that it means", () => {
  expect(broken("state: stopped")).toHaveLength(2);
});

test("each broken part of an expectation is a sentence of its own", () => {
  expect(broken("agent: Explore, count: 3, state: failed, tools: [Bash], result: x")).toHaveLength(
    4,
  );
});

function broken(expectation: string): string[] {
  const text = `turns:\n  - reply: a\nexpect:\n  - { ${expectation} }\n`;
  const scenario = parseScenario(text, "x.yaml");
  return checkExpectations(scenario, [explorer, helper], scenario.turns);
}
