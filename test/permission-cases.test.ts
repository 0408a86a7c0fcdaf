import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runPermissionCases } from "../src/testing/index.ts";
import { temporaryDirectory, writeFiles } from "./support/stage.ts";
import { until } from "./support/until.ts";
import { bin } from "./support/bin.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const own = join(root, "test/permission-cases.json");
/** The cases that the semantics were agreed on with, where they lie beside the repository. */
const shared = join(root, "../shared/cases/permissions.json");

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
  /** What is left in the directory for temporary files. */
  left: string[];
}

function permissionsTest(...args: string[]): Ran {
  const temporary = temporaryDirectory();
  const env = { ...process.env, TMPDIR: temporary };
  const ran = spawnSync(process.execPath, [bin, "permissions", "test", ...args], {
    env,
    encoding: "utf8",
  });
  return {
    code: ran.status,
    stdout: ran.stdout,
    stderr: ran.stderr,
    left: readdirSync(temporary).filter((name) => name.startsWith("retinue-case-")),
  };
}

/** A file with this content, and what the command says about it. */
function tested(content: unknown, ...args: string[]): Ran & { file: string } {
  const file = join(temporaryDirectory(), "cases.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return { ...permissionsTest(file, ...args), file };
}

const ls = { id: "ls", tool: "Bash", input: { command: "ls" }, expect: "allow" };

test("every decision is the one that the repository's own cases expect", () => {
  const { cases, mismatches } = JSON.parse(permissionsTest(own, "--json").stdout) as {
    cases: number;
    mismatches: unknown[];
  };
  expect(mismatches).toEqual([]);
  expect(cases).toBeGreaterThan(700);
});

test("the repository's own cases cover each family", () => {
  const cases = JSON.parse(readFileSync(own, "utf8")) as { id: string; expect: string }[];
  const families = Map.groupBy(cases, ({ id }) => id.replace(/-\d+$/, ""));
  expect([...families.keys()].sort()).toEqual(
    "agent background cd compound critical link match mcp mode order params path protected quote read-only redirection web wrap".split(
      " ",
    ),
  );
  for (const [family, members] of families) {
    const verdicts = new Set(members.map((one) => one.expect));
    expect({ family, one: verdicts.size }).not.toEqual({ family, one: 1 });
  }
});

test.skipIf(!existsSync(shared))("every decision is the one that the shared cases expect", () => {
  const { code, stdout, left } = permissionsTest(shared);
  expect(stdout).toMatch(/^\d+ cases, 0 mismatches\n$/);
  expect({ code, left }).toEqual({ code: 0, left: [] });
});

test("a mismatch is told with its reason, rule, part and every stage", () => {
  const wrong = {
    id: "push",
    why: "People push themselves.",
    rules: { allow: ["Bash"], ask: ["Bash(git push *)"] },
    tool: "Bash",
    input: { command: "cd {{P}} && git push" },
    expect: "deny",
  };
  const { code, stdout, file, left } = tested([ls, wrong]);
  expect({ code, left }).toEqual({ code: 1, left: [] });
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toBe("push: expected deny, got ask");
  expect(stdout).toContain("why           People push themselves.");
  const unwrapped = stdout.replaceAll(/\s+/g, " ");
  expect(unwrapped).toContain(`rule ask 'Bash(git push *)' (${file}: push)`);
  expect(unwrapped).toContain("part git push stages deny rules: nothing");
  expect(unwrapped).toContain("ask rules: ask. 'Bash(git push *)' wants it to be asked");
  expect(lines.at(-1)).toBe("2 cases, 1 mismatch");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);

  const document = tested([ls, wrong], "--json");
  expect(document.code).toBe(1);
  expect(JSON.parse(document.stdout)).toMatchObject({
    cases: 2,
    mismatches: [
      {
        id: "push",
        expected: "deny",
        got: "ask",
        decision: { part: "git push", rule: { kind: "ask", rule: "Bash(git push *)" } },
        trace: [
          { stage: "deny rules", finding: null },
          { stage: "Retinue's own secrets", finding: null },
          { stage: "what the agent is confined to", finding: null },
          { stage: "ask rules", finding: { verdict: "ask" } },
        ],
      },
    ],
  });
});

test("directories of a case are named by their placeholders", () => {
  const outside = { ...ls, id: "out", tool: "Read", input: { file_path: "{{O}}/a" } };
  const { stdout } = tested([outside]);
  expect(stdout).toContain("{{O}}/a is outside the working directory.");
  expect(stdout).not.toContain("retinue-case-");
});

test("text of a case cannot reach the terminal as anything but text", () => {
  const { stdout } = tested([
    { ...ls, why: "\u001b[2Jwiped\u202e", input: { command: "make \u001b]0;x\u0007" } },
  ]);
  expect(stdout).toContain("\\x1b[2Jwiped\\u{202e}");
  // oxlint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
});

test("rules of a settings file count in every case", () => {
  const directory = temporaryDirectory();
  const file = join(directory, "policy.json");
  const permissions = { allow: ["Bash(make)"], deny: ["Bash(git push *)"] };
  writeFileSync(join(directory, "settings.json"), JSON.stringify({ permissions }));
  const cases = [
    { ...ls, id: "make", input: { command: "make" } },
    { ...ls, id: "push", input: { command: "git push" }, expect: "deny" },
    { ...ls, id: "own", rules: { ask: ["Bash(make)"] }, input: { command: "make" }, expect: "ask" },
  ];
  writeFileSync(file, JSON.stringify({ settings: "settings.json", cases }));
  expect(permissionsTest(file)).toMatchObject({ code: 0, stdout: "3 cases, 0 mismatches\n" });
  for (const broken of ["{", '{"permissions": {"deny": [1]}}', ""]) {
    writeFileSync(join(directory, "settings.json"), broken);
    expect(permissionsTest(file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(join(directory, "settings.json")) as string,
    });
  }
});

test("the policy and the cases of the guide agree, for hosts too", async () => {
  const guide = readFileSync(join(root, "docs/permissions.md"), "utf8");
  const [policy = "", cases = ""] = [...guide.matchAll(/```json\n(.*?)```/gs)].map(
    ([, one]) => one,
  );
  const directory = temporaryDirectory();
  writeFiles(directory, { ".claude/settings.json": policy, "test/policy.json": cases });
  const file = join(directory, "test/policy.json");
  expect(permissionsTest(file)).toMatchObject({ code: 0, stdout: "3 cases, 0 mismatches\n" });
  expect(await runPermissionCases(file)).toEqual({ file, cases: 3, mismatches: [] });
  const stopped = AbortSignal.abort(new Error("enough"));
  await expect(runPermissionCases(file, { signal: stopped })).rejects.toThrow("enough");
});

const fixture = (...fixtures: object[]): object => ({ ...ls, fixture: fixtures });

test.each<[string, unknown, RegExp]>([
  ["no JSON", "[", /not valid JSON/],
  ["no list", "3", /Write a list of cases/],
  ["an unknown key beside the cases", { cases: [], setting: "x" }, /setting/],
  ["an unknown field", [ls, { ...ls, id: "b", expects: "deny" }], /case 2 'b': .*expects/],
  ["a missing field", [{ ...ls, expect: undefined }], /case 1 'ls': expect/],
  ["an unknown mode", [{ ...ls, mode: "yolo" }], /case 1 'ls': mode/],
  ["a rule that is no text", [{ ...ls, rules: { deny: [1] } }], /case 1 'ls': rules\.deny\.0/],
  ["two cases with one id", [ls, ls], /two cases have the id 'ls'/],
  ["a path that is missing", [{ ...ls, tool: "Read" }], /case 'ls': Read needs .*'file_path'/],
  ["deep nesting", `[${"[".repeat(5000)}${"]".repeat(5000)}]`, /nested deeper/],
  [
    "a fixture elsewhere",
    [fixture({ path: "/etc/x", type: "file" })],
    /'ls'.*'\/etc\/x' is outside/,
  ],
  ["a fixture that climbs out", [fixture({ path: "{{P}}/../../x", type: "dir" })], /is outside/],
  [
    "a fixture behind a link",
    [
      fixture(
        { path: "{{P}}/l", type: "symlink", target: "/tmp" },
        { path: "{{P}}/l/retinue-x", type: "file" },
      ),
    ],
    /is outside/,
  ],
  [
    "a fixture through a link that leads nowhere",
    [
      fixture(
        { path: "{{P}}/l", type: "symlink", target: "/tmp/retinue-nowhere" },
        { path: "{{P}}/l", type: "file" },
      ),
    ],
    /is outside/,
  ],
  [
    "a fixture below a file",
    [fixture({ path: "{{P}}/a", type: "file" }, { path: "{{P}}/a/b", type: "file" })],
    /'ls'.*cannot be made/,
  ],
])("a file of cases with %s is a usage error that names it", (_, content, message) => {
  const { code, stdout, stderr, left } = tested(content);
  expect({ code, stdout, left }).toEqual({ code: 2, stdout: "", left: [] });
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/\.\n$/);
});

test("a file that is not there is a usage error", () => {
  expect(permissionsTest("nowhere.json")).toMatchObject({
    code: 2,
    stderr: "retinue: nowhere.json: there is no such file. Name a file with cases.\n",
  });
});

test("cases run nothing and leave nothing", () => {
  const directory = temporaryDirectory();
  const mark = join(directory, "mark");
  const { code, left } = tested([
    { ...ls, input: { command: `touch ${mark}` }, mode: "bypassPermissions" },
  ]);
  expect({ code, left, made: existsSync(mark) }).toEqual({ code: 0, left: [], made: false });
});

test("an interrupt between two cases leaves no directory behind", async () => {
  const temporary = temporaryDirectory();
  const file = join(temporary, "many.json");
  writeFileSync(
    file,
    JSON.stringify(Array.from({ length: 50_000 }, (_, index) => ({ ...ls, id: `${index}` }))),
  );
  mkdirSync(join(temporary, "t"));
  const child = spawn(process.execPath, [bin, "permissions", "test", file], {
    env: { ...process.env, TMPDIR: join(temporary, "t") },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  const cases = (): string[] =>
    readdirSync(join(temporary, "t")).filter((name) => name.startsWith("retinue-case-"));
  await until(() => cases().length > 0);
  child.kill("SIGINT");
  expect(await ended).toEqual([130, null]);
  expect(cases()).toEqual([]);
});
