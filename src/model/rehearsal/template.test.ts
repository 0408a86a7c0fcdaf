import { expect, test } from "vitest";
import type { TemplateScope } from "./template.ts";
import { renderText, renderValue, templateProblems } from "./template.ts";

const scope: TemplateScope = {
  agentType: "Explore",
  system: "Working directory: /home/me/x",
  prompt: "Find sums",
  last: "3 passed\n",
  lastResults: ["first", "second"],
  results: [
    { tool: "Grep", text: "a.ts:1\nb.ts:2\n" },
    { tool: "mcp__box__get", text: "42" },
    { tool: "Grep", text: "c.ts:3\r\nd.ts:4\r\ne.ts:5" },
    { tool: "Bash", text: "" },
  ],
  match: ["3 passed", "3", undefined],
  task: ["sums"],
};

test.each([
  ["{{ prompt }}!", "Find sums!"],
  ["<{{last}}>", "<3 passed\n>"],
  ["{{ system | match /: (.+)/ }}", "/home/me/x"],
  ["{{ result.Grep | line 1 }}", "c.ts:3"],
  ["{{ result.Grep | line -1 }}", "e.ts:5"],
  ["{{ result.Grep.1 | line 2 }}", "b.ts:2"],
  ["{{ result.mcp__box__get }}", "42"],
  ["{{ results.2 }}", "second"],
  ["{{ match.0 }}, {{ match.1 }}", "3 passed, 3"],
  ["{{ task.0 }}", "sums"],
  ["Found {{ result.Grep | lines | count }} places", "Found 3 places"],
  ["{{ result.Grep | first 2 }}.", "c.ts:3\nd.ts:4."],
  ["{{ last | trim }}.", "3 passed."],
  ['{{ last | match "(\\d+) pas" }}', "3"],
  ["{{ last | match 'PASSED' | default 'none' }}", "none"],
  ["{{ last | match /PASSED/i }}", "passed"],
  ['{{ result.Write | line 1 | default "nothing" }}', "nothing"],
  ['{{ result.Grep.9 | default "" }}', ""],
  ['{{ result.Bash | default "unused" }}', ""],
  ["{{ result.Grep.1 | json }}", String.raw`"a.ts:1\nb.ts:2\n"`],
  ['{{ "{{" }} secrets.KEY }}', "{{ secrets.KEY }}"],
  ['{{ "a | }} \\" b" }}', 'a | }} " b'],
  ["no template, one { and }}", "no template, one { and }}"],
])("%s renders as text", (template, expected) => {
  expect(renderText(template, scope)).toBe(expected);
});

test("templates deep inside an input are filled and keep the type of their value", () => {
  const input = {
    count: "{{ result.Grep | count }}",
    offset: "{{ match.1 | number }}",
    text: "{{ match.1 }}",
    list: ["{{ result.Grep.1 | lines }}", { at: "line {{ match.1 | number }}" }],
    flag: true,
    nothing: null,
  };
  expect(renderValue(input, scope)).toEqual({
    count: 3,
    offset: 3,
    text: "3",
    list: [["a.ts:1", "b.ts:2"], { at: "line 3" }],
    flag: true,
    nothing: null,
  });
});

test.each([
  ["{{ result.Write }}", "this agent has 0 results of Write"],
  ["{{ result.Grep.3 }}", "this agent has 2 results of Grep"],
  ["{{ results.3 }}", "the last message has 2 tool results"],
  ["{{ match.2 }}", "group 2 did not match"],
  ["{{ last | match /failed/ }}", "nothing matches /failed/"],
  ["{{ last | line 7 }}", "there is no line 7, only 1"],
  ["{{ prompt | number }}", '"Find sums" is not a number'],
])("%s is an error, never an empty text", (template, message) => {
  expect(() => renderText(template, scope)).toThrow(message);
  expect(templateProblems(template)).toEqual([]);
});

test.each([
  ["{{ promt }}", 'unknown path "promt"'],
  ["{{ results.0 }}", 'unknown path "results.0"'],
  ["{{ result. }}", 'unknown path "result."'],
  ["{{ constructor }}", "unknown path"],
  ["{{ prompt | upper }}", 'unknown filter "upper"; there are trim, lines'],
  ["{{ prompt | toString }}", "unknown filter"],
  ["{{ prompt | line }}", "line needs a number"],
  ["{{ prompt | line 0 }}", "line needs a number"],
  ["{{ prompt | first -1 }}", "first needs"],
  ["{{ prompt | trim 3 }}", "takes no argument"],
  ["{{ prompt | match /(/ }}", "Unterminated group"],
  ["{{ prompt | match 3 }}", "match needs a regex"],
  ["{{ prompt | default }}", "default needs"],
  ["{{ prompt", "never closed"],
  ["{{ prompt ; }}", 'not understood at "; }}"'],
  ["{{ }}", "write one path"],
  ["{{ prompt last }}", "write one path"],
  ["{{ prompt | }}", "write the name of a filter"],
  ["{{ prompt | default none }}", "text in quotes"],
])("%s is found when the scenario is loaded", (template, message) => {
  const problems = templateProblems({ deep: [template] });
  expect(problems).toEqual([
    { path: ["deep", 0], message: expect.stringContaining(message) as string },
  ]);
});

test("a group that the turn's pattern does not have is found when the scenario is loaded", () => {
  const groups = { match: 1, task: 0 };
  expect(templateProblems("{{ match.0 }} {{ match.1 }} {{ task.0 }}", groups)).toEqual([]);
  const messages = templateProblems("{{ match.2 }} {{ task.1 }}", groups).map(
    (problem) => problem.message,
  );
  expect(messages).toEqual([
    expect.stringContaining('"last" has 1 groups'),
    expect.stringContaining('"task" has 0 groups'),
  ]);
});

test("a pattern is tested on the first 100,000 characters only", () => {
  const long = { ...scope, last: `${"x".repeat(100_000)}needle` };
  expect(() => renderText("{{ last | match /needle/ }}", long)).toThrow("nothing matches");
  expect(renderText("{{ last | match /x$/ }}", long)).toBe("x");
});
