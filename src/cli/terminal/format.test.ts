import { expect, test } from "vitest";
import { noUsage } from "../../contract/message.ts";
import {
  formatCall,
  formatCost,
  formatDenial,
  formatDuration,
  formatFigures,
  formatOutcome,
  formatTokens,
} from "./format.ts";

test.each([
  [0, "0:00"],
  [41_999, "0:41"],
  [723_000, "12:03"],
  [3_723_000, "1:02:03"],
  [-5, "0:00"],
])("%i ms is written %s", (milliseconds, expected) => {
  expect(formatDuration(milliseconds)).toBe(expected);
});

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1k"],
  [1540, "1.5k"],
  [9949, "9.9k"],
  [9950, "10k"],
  [14_400, "14k"],
  [999_499, "999k"],
  [999_500, "1M"],
  [2_140_000, "2.1M"],
])("%i tokens are written %s", (tokens, expected) => {
  expect(formatTokens(tokens)).toBe(expected);
});

test.each([
  [0, "$0.00"],
  [0.0004, "<$0.01"],
  [0.03, "$0.03"],
  [12.4, "$12.40"],
  [null, "unknown"],
])("a cost of %d is written %s", (costUsd, expected) => {
  expect(formatCost(costUsd)).toBe(expected);
});

test.each([
  ["Bash", { command: "npm test\n&& echo done" }, "Bash npm test && echo done"],
  ["Read", { file_path: "/a/b.ts", limit: 3 }, "Read /a/b.ts"],
  ["Grep", { pattern: "authorize(", path: "src/" }, 'Grep "authorize(" src/'],
  ["Grep", { pattern: "x" }, 'Grep "x"'],
  ["Agent", { subagent_type: "Explore", description: "find it" }, "Agent Explore: find it"],
  ["Agent", { description: "find it", prompt: "long" }, "Agent find it"],
  ["TaskOutput", { task_id: "b1", block: false }, "TaskOutput b1"],
  ["TaskStop", { task_id: "b1" }, "TaskStop b1"],
  ["TodoWrite", { todos: [{}, {}] }, "TodoWrite 2 todos"],
  ["Read", { wrong: 1 }, 'Read {"wrong":1}'],
  ["mcp__x__y", { a: 1, b: ["c"] }, 'mcp__x__y {"a":1,"b":["c"]}'],
  ["constructor", {}, "constructor"],
  ["Bash", { command: { not: "text" } }, 'Bash {"not":"text"}'],
])("a call of %s with %j is one line", (name, input: Record<string, unknown>, expected) => {
  expect(formatCall({ id: "t", name, input })).toBe(expected);
});

test("a hostile command neither acts on the terminal nor fills the memory", () => {
  const command = `echo \x1b]52;c;AAAA\x07${"x".repeat(1_000_000)}`;
  const line = formatCall({ id: "t", name: "Bash", input: { command } });
  expect(line).toMatch(/^Bash echo x+…$/);
  expect(line.length).toBe(300);
});

test("a denial is told with its reason, which names the remedy", () => {
  const call = { id: "t", name: "Bash", input: { command: "rm x" } };
  expect(formatDenial(call, "nobody can be asked")).toBe("denied Bash rm x · nobody can be asked");
  expect(formatDenial(call, "run with --allowedTools Bash")).toBe(
    "denied Bash rm x · run with --allowedTools Bash",
  );
});

test("figures count in singular and plural", () => {
  expect(formatFigures({ turns: 1, toolUses: 12, tokens: 14_000, durationMs: 63_000 })).toBe(
    "1 turn · 12 tools · 14k tok · 1:03",
  );
});

test("an outcome is the first line of the answer, or what went wrong", () => {
  const figures = {
    turns: 1,
    toolUses: 0,
    denials: 0,
    deniedCalls: [],
    durationMs: 1,
    usage: noUsage,
    lastUsage: noUsage,
    costUsd: null,
  };
  const content = "\n\n3 findings\nmore";
  const error = { code: "max_turns", message: "50 turns" } as const;
  expect(formatOutcome({ ...figures, state: "completed", content })).toBe("3 findings");
  expect(formatOutcome({ ...figures, state: "failed", content, error })).toBe(
    "max_turns: 50 turns",
  );
  expect(formatOutcome({ ...figures, state: "stopped", content, reason: "by user" })).toBe(
    "stopped: by user",
  );
});
