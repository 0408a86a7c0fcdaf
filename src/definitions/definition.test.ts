import { expect, test } from "vitest";
import { toDefinition } from "./definition.ts";

const origin = { prompt: "p", source: "project", file: "x.md", where: "x.md" } as const;
const make = (fields: Record<string, unknown>): ReturnType<typeof toDefinition> =>
  toDefinition({ name: "a", description: "d", ...fields }, origin);

test.each([
  ["a comma string", "Read, Bash(git diff *), Grep,", ["Read", "Bash(git diff *)", "Grep"]],
  ["a comma inside parentheses", "Agent(a, b), Read", ["Agent(a, b)", "Read"]],
  ["a string with blanks", "Read Grep Glob", ["Read", "Grep", "Glob"]],
  ["a list", ["Read", "Bash"], ["Read", "Bash"]],
  ["an empty list", [], []],
])("reads tools written as %s", (_name, tools, expected) => {
  expect(make({ tools }).definition?.tools).toEqual(expected);
});

test("a star means all tools, as if nothing had been said", () => {
  expect(make({ tools: "*" }).definition?.tools).toBeUndefined();
  expect(make({ tools: null }).definition?.tools).toBeUndefined();
});

test.each([
  ["maxTurns", "lots"],
  ["maxTurns", -1],
  ["background", "yes"],
  ["isolation", "moon"],
  ["color", 3],
])(
  "a bad value of %s (%s) drops the field and says so, and the agent still loads",
  (field, value) => {
    const { definition, diagnostics } = make({ [field]: value });
    expect(definition).not.toBeNull();
    expect(definition).not.toHaveProperty(field);
    expect(diagnostics).toMatchObject([{ severity: "warning", field }]);
  },
);

test("a number written as text counts as a number", () => {
  expect(make({ maxTurns: "5" }).definition?.maxTurns).toBe(5);
});

test("a field that this version does not act on is a warning, one that nobody knows a remark", () => {
  expect(make({ hooks: {}, emoji: "x" }).diagnostics).toMatchObject([
    { field: "hooks", severity: "warning", code: "unsupported" },
    { field: "emoji", severity: "info", code: "unknown" },
  ]);
});

test.each([
  ["tool", "tools"],
  ["disallowed_tools", "disallowedTools"],
  ["max-turns", "maxTurns"],
  ["Model", "model"],
])("a misspelt field, %s, is said aloud with what was meant", (field, meant) => {
  expect(make({ [field]: "x" }).diagnostics).toMatchObject([
    {
      field,
      severity: "warning",
      message: expect.stringContaining(`Did you mean '${meant}'?`) as string,
    },
  ]);
});

test("a problem is reported in the line in which its field stands", () => {
  const places = new Map([["maxTurns", { line: 4, column: 1 }]]);
  const { diagnostics } = toDefinition(
    { name: "a", description: "d", maxTurns: -1 },
    { ...origin, places },
  );
  expect(diagnostics).toMatchObject([{ field: "maxTurns", line: 4 }]);
});

test.each([
  ["no name", { name: undefined }],
  ["a number as name", { name: 12 }],
  ["a name with a colon", { name: "a:b" }],
  ["a name with a control character", { name: "a\u0007" }],
  ["a leading dash", { name: "-a" }],
  ["no description", { description: "" }],
  ["a list as description", { description: ["a"] }],
])("does not load a file with %s, and says why", (_name, fields) => {
  const { definition, diagnostics } = make(fields);
  expect(definition).toBeNull();
  expect(diagnostics).toMatchObject([{ severity: "error" }]);
});

test("a written-out \\n in a description is a line break", () => {
  expect(make({ description: "one\\ntwo" }).definition?.description).toBe("one\ntwo");
});

test.each(["tools", "disallowedTools"])(
  "a tool name in %s that is nearly right is said aloud",
  (field) => {
    expect(make({ [field]: ["Bsh", "mcp__x", "WebSearch"] }).diagnostics).toMatchObject([
      { field, message: "There is no tool 'Bsh'. Did you mean 'Bash'?" },
      { field, severity: "info", message: expect.stringContaining("'mcp__x'") as string },
    ]);
  },
);

test("a rule that confines a tool is no problem, unless it confines it to nothing", () => {
  expect(make({ tools: "Bash(git diff *), Read" }).diagnostics).toEqual([]);
  expect(make({ tools: "WebFetch(example.com), Read" }).diagnostics).toMatchObject([
    { code: "invalid", field: "tools" },
  ]);
});

test("a list of tools of any length is split in one pass", () => {
  const long = `Read${",".repeat(200_000)}Bash(a, (b), c),Grep`;
  expect(make({ tools: long }).definition?.tools).toEqual(["Read", "Bash(a, (b), c)", "Grep"]);
});
