import { join } from "node:path";
import { expect, test } from "vitest";
import { decisionOf, makeCountry } from "./support/verdict.ts";

const entries = { "outside/key": "k\n", "outside/deep/a": "a\n" };

test.each([
  ["Glob", { pattern: "*" }, "path"],
  ["Grep", { pattern: "x" }, "path"],
  ["Read", {}, "file_path"],
] as const)(
  "a person who lets an agent look at a directory by %s is offered no rule for the files below it",
  (tool, input, field) => {
    const country = makeCountry(entries);
    const decision = decisionOf(
      { tool, input: { ...input, [field]: country.outside }, paths: [country.outside] },
      country,
    );
    expect(decision.verdict).toBe("ask");
    expect(decision.suggestions).toEqual([]);
    expect(decision.reason).toContain(
      `A rule for a directory is about all files below it: Read(/${country.outside}).`,
    );
  },
);

test("a file outside is offered as a rule of its own", () => {
  const country = makeCountry(entries);
  const path = join(country.outside, "key");
  for (const call of [
    { tool: "Read", input: { file_path: path }, paths: [path] },
    { tool: "Grep", input: { pattern: "x", path }, paths: [path] },
  ])
    expect(decisionOf(call, country).suggestions).toEqual([`Read(/${path})`]);
});

const own = "/proc/self/cwd/.env";

test("a path that leads each process elsewhere is in no rule that is offered", () => {
  const { verdict, reason, suggestions } = decisionOf(
    { tool: "Read", input: { file_path: own }, paths: [own] },
    makeCountry(entries),
    { canAsk: false },
  );
  expect(verdict).toBe("deny");
  expect(suggestions).toEqual([]);
  expect(reason).not.toContain("Read(");
});
