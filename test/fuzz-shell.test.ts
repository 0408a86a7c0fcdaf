import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { literalWord } from "../src/permissions/shell/shell-word.ts";
import type { Shell } from "../src/permissions/shell/shell.ts";
import { compare, type Comparison } from "./support/shell-fuzz/compare.ts";
import { chooseConfinement } from "./support/shell-fuzz/confinement.ts";
import { openEngine, type Engine } from "./support/shell-fuzz/engine.ts";
import { openLanes, type Lanes } from "./support/shell-fuzz/lanes.ts";
import { figures, violationLines } from "./support/shell-fuzz/report.ts";
import { randomOf } from "./support/shell-fuzz/random.ts";
import { insertionAt, insertionCount } from "./support/shell-fuzz/sources/live.ts";
import {
  openSources,
  type Generate,
  type SourceName,
} from "./support/shell-fuzz/sources/sources.ts";
import { readableCommand } from "./support/shell-fuzz/sources/readable.ts";
import { findProgram } from "./support/shell-fuzz/stubs.ts";
import { readTrace } from "./support/shell-fuzz/trace.ts";
import { temporaryDirectory } from "./support/stage.ts";

const missing = whatIsMissing();
const runs = test.skipIf(missing !== "");
const patience = 600_000;
const chance: readonly SourceName[] = ["readable", "live", "quoting", "options", "smuggled"];

/** What the title of a test that is left out says. */
function whatIsMissing(): string {
  const programs = ["bash", "strace", "git"].filter((name) => findProgram(name) === undefined);
  if (programs.length > 0) return `left out for lack of ${programs.join(" and ")}: `;
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "retinue-probe-")));
  const isConfined = chooseConfinement(directory) !== null;
  rmSync(directory, { recursive: true, force: true });
  return isConfined ? "" : "left out for lack of bubblewrap or unshare: ";
}

async function compared(
  lanes: Lanes,
  engine: Engine,
  size: { count: number; runs: number; shrinks?: number; only?: readonly SourceName[] },
): Promise<Comparison> {
  const { only = chance } = size;
  const generate = openSources({ seed: 7, places: lanes.places, only });
  return compare({ seed: 7, shrinks: 3, ...size, engine, generate, lanes });
}

/** Runs exactly these. */
async function comparedList(
  lanes: Lanes,
  engine: Engine,
  commands: readonly string[],
): Promise<Comparison> {
  const generate: Generate = (index) => ({
    index,
    source: "corpus",
    command: commands[index] ?? "",
  });
  const count = commands.length;
  return compare({ seed: 1, count, runs: count * 100, shrinks: 0, engine, generate, lanes });
}

runs(
  `${missing}of 6,000 generated commands bash runs only what the grammar named and the decision allows`,
  { timeout: patience },
  async () => {
    await using lanes = openLanes(temporaryDirectory(), 2);
    const engine = openEngine(lanes.places);
    const comparison = await compared(lanes, engine, { count: 6000, runs: 900 });
    process.stdout.write(`${figures(comparison, lanes.confinement).join("\n")}\n`);
    expect(violationLines(comparison)).toEqual([]);
    expect(comparison.generated).toBe(6000);
    expect(comparison.readableExecuted).toBeGreaterThan(500);
    expect(comparison.allowedExecuted).toBeGreaterThan(200);
    expect(comparison.harmPrevented).toBeGreaterThan(50);
  },
);

runs(
  `${missing}an engine that allows everything is caught running, writing and reading outside`,
  { timeout: patience },
  async () => {
    await using lanes = openLanes(temporaryDirectory(), 2);
    const { read } = openEngine(lanes.places);
    const engine: Engine = { read, decide: () => "allow" };
    const said = async (...commands: string[]): Promise<string[]> => {
      const { violations } = await comparedList(lanes, engine, commands);
      return violations.flatMap(({ oracle, what }) => (oracle === "decision" ? what : []));
    };
    expect(await said("nice evil a")).toContain("bare Bash: ran evil (nice)");
    expect(await said("good1; other")).toContain("rules: ran other (bash)");
    expect(await said("git status")).toContain("untrusted: ran evil-of-git (git)");
    expect(await said("echo a > new")).toContain("plan: write work/new (bash)");
    expect(await said("mkdir link-dir/new")).toContain("acceptEdits: write outside/new (mkdir)");
    expect(await said("touch .git/x")).toContain("acceptEdits: write work/.git/x (touch)");
    expect(await said("echo a > /new")).toContain("acceptEdits: write /new (bash)");
    expect(await said("cat link-file")).toContain("no rules: read outside/secret.txt (cat)");
    expect(await said("ls ..")).toHaveLength(5);
    expect(await said("cat link-env")).toContain("rules: read work/.env (cat)");
    expect(await said("git diff --no-ext-diff secrets")).toContain("rules: showed canary-of-key");
    const counted = await said("git diff --stat; git status; git ls-files --eol");
    expect(counted.filter((one) => !one.startsWith("untrusted: ran"))).toEqual([]);
    expect(await said("ls -la; cat data.txt | sort; git log --oneline; echo *")).toEqual([]);
  },
);

runs(
  `${missing}what commands made by chance do against the decision is found, and shortened`,
  { timeout: patience },
  async () => {
    await using lanes = openLanes(temporaryDirectory(), 2);
    const { read } = openEngine(lanes.places);
    const engine: Engine = { read, decide: () => "allow" };
    const { violations } = await compared(lanes, engine, { count: 300, runs: 60 });
    const said = violations.flatMap(({ what }) => what);
    expect(said.some((one) => one.startsWith("no rules: ran evil"))).toBe(true);
    expect(violations.some(({ command, shortest }) => shortest.length < command.length)).toBe(true);
    expect(violationLines({ seed: 7, violations })[0]).toMatch(
      /^VIOLATION \(\w+\) seed 7 command \d+ \(\w+\): /,
    );
  },
);

runs(
  `${missing}a reader that splits a quoted word is caught, and so is one that misses a part`,
  { timeout: patience },
  async () => {
    await using lanes = openLanes(temporaryDirectory(), 2);
    const { read, decide } = openEngine(lanes.places);
    const said = async (change: (shell: Shell) => Shell, command: string): Promise<string[]> => {
      const changed = (text: string): Shell | null => {
        const shell = read(text);
        return shell === null ? null : change(shell);
      };
      const engine = { read: changed, decide };
      const { violations } = await comparedList(lanes, engine, [command]);
      return violations.flatMap(({ oracle, what }) => (oracle === "grammar" ? what : []));
    };
    const command = "good1 'a b' ~/x *.txt \"$(good2 \\$x)\" < data.txt > out; time nice good3";
    expect(await said((shell) => shell, command)).toEqual([]);
    expect((await said(splitWords, command))[0]).toMatch(/^ran: \["good1","a b","\/.*\/home\/x"/);
    const withoutLast = (shell: Shell): Shell => ({
      ...shell,
      commands: shell.commands.slice(0, -1),
    });
    expect(await said(withoutLast, command)).toEqual([
      'ran: ["nice","good3"]',
      "ran: 3 programs, 2 named",
    ]);
    const withoutFiles = (shell: Shell): Shell => ({ ...shell, redirections: [] });
    expect(await said(withoutFiles, "good1 < data.txt > out")).toEqual([
      'read: "data.txt"',
      'write: "out"',
    ]);
    const withoutGlob = (): Shell => ({
      ...{ redirections: [], documents: [], repeats: false, runsOn: false, runningOn: [] },
      commands: [{ words: [literalWord("echo"), literalWord("*")], assignments: [] }],
    });
    expect(await said(withoutGlob, "echo *")).toEqual(['list: "."']);
  },
);

function splitWords(shell: Shell): Shell {
  const commands = shell.commands.map(({ words, assignments }) => ({
    assignments,
    words: words.flatMap((word) =>
      word.isStatic && word.text.includes(" ") ? word.text.split(" ").map(literalWord) : [word],
    ),
  }));
  return { ...shell, commands };
}

runs(
  `${missing}an engine that allows whatever stands in parentheses is caught`,
  { timeout: patience },
  async () => {
    await using lanes = openLanes(temporaryDirectory(), 1);
    const { read, decide } = openEngine(lanes.places);
    const engine: Engine = {
      read,
      decide: (policy, command, denied) =>
        command.startsWith("(\n") ? "allow" : decide(policy, command, denied),
    };
    const { violations } = await compared(lanes, engine, {
      count: 400,
      runs: 0,
      only: ["readable"],
    });
    expect(violations[0]?.what[0]).toMatch(/^no rules: ask, but allow in parentheses$/);
  },
);

test("the same seed gives the same commands, and another one others", () => {
  const commands = (seed: number): string[] =>
    Array.from({ length: 50 }, (_, index) => readableCommand(randomOf(seed, index)));
  expect(commands(1)).toEqual(commands(1));
  expect(commands(1)).not.toEqual(commands(2));
});

test("every token stands once at every place of every command in which evil is live", () => {
  const all = Array.from({ length: insertionCount }, (_, index) => insertionAt(index));
  expect(all).toContain("$(evil");
  expect(all).toContain("evil$(");
  expect(all).toContain("true; `evil");
  expect(() => insertionAt(insertionCount)).toThrow(`There are ${insertionCount} insertions.`);
});

test("a trace tells bash from the programs that it starts, across calls that were interrupted", () => {
  const text = [
    '7 execve("/bin/bash", ["bash", "-c", "x"], 0x1 /* 9 vars */) = 0',
    "7 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>",
    '8 openat(AT_FDCWD</w>, "a\\303\\251 b", O_WRONLY|O_CREAT, 0666) = 3</w/a\\303\\251 b>',
    "7 <... clone resumed>, child_tidptr=0x2) = 8",
    '8 execve("/p/env", ["env", "evil", "q\\"\\n"], 0x1 /* 9 vars */ <unfinished ...>',
    "8 <... execve resumed>) = 0",
    '8 openat(AT_FDCWD</w>, "absent", O_RDONLY) = -1 ENOENT (No such file or directory)',
    '8 openat(AT_FDCWD</w>, "/ro/x", O_WRONLY|O_CREAT, 0666) = -1 EROFS (Read-only file system)',
    '8 execve("/s/evil", ["evil"], 0x1 /* 9 vars */) = 0',
    "",
  ].join("\n");
  const { executed, touched } = readTrace(text, "/w");
  expect(executed.map(({ byBash, by, argv }) => ({ byBash, by, argv }))).toEqual([
    { byBash: true, by: "bash", argv: ["env", "evil", 'q"\n'] },
    { byBash: false, by: "env", argv: ["evil"] },
  ]);
  expect(touched.map(({ byBash, path, effect }) => ({ byBash, path, effect }))).toEqual([
    { byBash: true, path: "/w/aé b", effect: "write" },
    { byBash: false, path: "/ro/x", effect: "write" },
  ]);
});
