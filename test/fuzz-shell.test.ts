import { expect, test } from "vitest";
import { compare } from "./support/shell-fuzz/compare.ts";
import { openEngine } from "./support/shell-fuzz/engine.ts";
import { generateCommand } from "./support/shell-fuzz/generate-command.ts";
import { openLanes } from "./support/shell-fuzz/lanes.ts";
import { allowedShare, figures, sampleLines, violationLines } from "./support/shell-fuzz/report.ts";
import { recipes } from "./support/shell-fuzz/smuggling/smuggle.ts";
import { staysInside } from "./support/shell-fuzz/stays-inside.ts";
import { findProgram } from "./support/shell-fuzz/stubs.ts";
import { temporaryDirectory } from "./support/stage.ts";

const hasBash = findProgram("bash") !== undefined;
const patience = 600_000;

test.skipIf(!hasBash)(
  "of 5,000 generated commands none runs or writes against the decision, and harmless ones are allowed",
  { timeout: patience },
  async () => {
    await using lanes = openLanes(temporaryDirectory(), 2);
    const decide = openEngine(lanes.workingDirectory);
    const comparison = await compare({ seed: 7, count: 5000, decide, lanes });
    process.stdout.write(`${figures(comparison, lanes.confinement).join("\n")}\n`);
    expect(comparison.compared).toBe(5000);
    expect(violationLines(comparison)).toEqual([]);
    expect(comparison.harmPrevented).toBeGreaterThan(1000);
    expect(allowedShare(comparison), sampleLines(comparison).join("\n")).toBeGreaterThanOrEqual(
      0.9,
    );
  },
);

test.skipIf(!hasBash)(
  "an engine that allows everything is caught running and writing, by commands that are shrunk",
  { timeout: patience },
  async () => {
    await using lanes = openLanes(temporaryDirectory(), 2);
    const comparison = await compare({ seed: 7, count: 300, decide: () => "allow", lanes });
    const { violations } = comparison;
    expect(violations.some((one) => one.ran.some((name) => /^evil\b/.test(name)))).toBe(true);
    expect(violations.some((one) => one.ran.some((name) => /^other\b/.test(name)))).toBe(true);
    expect(violations.some((one) => one.changed.includes("work/pwned"))).toBe(true);
    expect(violations.every((one) => one.kind !== "plain")).toBe(true);
    expect(violations[0]?.shortest.length).toBeLessThanOrEqual(violations[0]?.command.length ?? 0);
    expect(violationLines(comparison)[0]).toMatch(/^VIOLATION seed 7 command \d+: allow, but /);
  },
);

test("the same seed gives the same commands, and another one others", () => {
  const commands = (seed: number): string[] =>
    Array.from({ length: 50 }, (_, index) => generateCommand(seed, index).command);
  expect(commands(1)).toEqual(commands(1));
  expect(commands(1)).not.toEqual(commands(2));
});

test("no generated command can leave its directory", () => {
  const templates = recipes.flat().filter((recipe) => !staysInside(recipe));
  expect(templates).toEqual([]);
  const commands = Array.from({ length: 5000 }, (_, index) => generateCommand(3, index).command);
  expect(commands.filter((command) => !staysInside(command))).toEqual([]);
});

test.each([
  "ls > /x",
  "ls > $x/y",
  "ls > ${x}/y",
  'ls > ""/y',
  "ls > $(x)/y",
  "ls > /dev/nul",
  "ls > /dev/null'x'",
  "ls > /dev/null\v",
  "ls > /dev/null\u00A0",
  "ls > $BASH",
  "ls > $_",
  "ls > $'\\57x'",
  "ls > ../../x",
  "kill -9 1",
])("%s would leave it", (command) => {
  expect(staysInside(command)).toBe(false);
});
