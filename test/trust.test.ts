import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory, writeFiles } from "./support/stage.ts";
import { bin } from "./support/bin.ts";

function shop(settings: object | string = {}): {
  folder: string;
  retinue: (...args: string[]) => Ran;
} {
  const root = temporaryDirectory();
  const folder = join(root, "project");
  mkdirSync(join(folder, ".git"), { recursive: true });
  writeFiles(folder, {
    ".claude/settings.json": typeof settings === "string" ? settings : JSON.stringify(settings),
    "src/a.js": "",
  });
  return { folder, retinue: (...args) => run(root, "project/src", "trust", ...args) };
}

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** `config` of the root is the user directory. */
function run(root: string, at: string, ...args: string[]): Ran {
  const cwd = join(root, at);
  const env = { ...process.env, CLAUDE_CONFIG_DIR: join(root, "config"), NO_COLOR: "1" };
  return spawnSync(process.execPath, [bin, ...args], { cwd, encoding: "utf8", env });
}

const settings = {
  hooks: {
    Stop: [{ hooks: [{ type: "command", command: "a" }] }],
    PreToolUse: [{ matcher: "Bash", hooks: [{ command: "b" }, { command: "c" }] }],
  },
  env: { A: "1", B: "2" },
  model: "opus",
  permissions: { allow: ["Bash"], deny: ["WebFetch"] },
};

const looks = "commands that only look, such as git status, run unasked";

test("trust does not say that nothing needs it in a repository, where git asks until then", () => {
  const { folder, retinue } = shop();
  const said = `What this makes active in ${folder}:\n  .git  git  ${looks}\n`;
  expect(retinue("--dry-run").stdout).toBe(said);
  const git = ["explain", "--call", "Bash(git status)", "--json"];
  const verdict = (): unknown =>
    (
      JSON.parse(run(join(folder, ".."), "project", ...git).stdout) as {
        decision: { verdict: string };
      }
    ).decision.verdict;
  expect(verdict()).toBe("ask");
  expect(retinue().stdout).toContain(said);
  expect(verdict()).toBe("allow");
});

test("outside of repositories, and without files of its own, nothing in a folder needs trust", () => {
  expect(run(temporaryDirectory(), ".", "trust").stdout).toMatch(/^Nothing in .* needs trust\.\n/);
});

test("trust says what becomes active, then trusts the project", () => {
  const { folder, retinue } = shop(settings);
  const ran = retinue();
  expect(ran.stderr).toBe("");
  expect(ran.stdout).toBe(
    [
      `What this makes active in ${folder}:`,
      "  .claude/settings.json  hooks              3 hooks",
      "  .claude/settings.json  env                2 values",
      "  .claude/settings.json  model",
      "  .claude/settings.json  permissions.allow  1 rule",
      `  .git                   git                ${looks}`,
      `${folder} is now trusted. 'retinue trust --revoke' takes it back.`,
      "",
    ].join("\n"),
  );
  expect(ran.status).toBe(0);
  expect(retinue().stdout).toContain("is still trusted");
});

test("trust --json is one document", () => {
  const { folder, retinue } = shop(settings);
  expect(JSON.parse(retinue(folder, "--json").stdout)).toEqual({
    folder,
    trustedBefore: false,
    activates: [
      { file: ".claude/settings.json", key: "hooks", count: 3 },
      { file: ".claude/settings.json", key: "env", count: 2 },
      { file: ".claude/settings.json", key: "model", count: null },
      { file: ".claude/settings.json", key: "permissions.allow", count: 1 },
      { file: ".git", key: "git", count: null },
    ],
  });
});

test("trust can be listed and taken back", () => {
  const { folder, retinue } = shop();
  expect(retinue("--list")).toMatchObject({
    status: 0,
    stdout: "",
    stderr: "No folder is trusted. 'retinue trust' trusts the one you are in.\n",
  });
  expect(retinue().stdout).toContain("is now trusted");
  expect(retinue("--list").stdout).toMatch(/^SINCE +FOLDER\n\S+Z +\S+\/project\n$/);
  expect(JSON.parse(retinue("--list", "--json").stdout)).toMatchObject([{ folder }]);
  expect(retinue("--revoke").stdout).toBe(`${folder} is not trusted any more.\n`);
  expect(JSON.parse(retinue("--revoke", "--json").stdout)).toEqual({
    folder: null,
    revoked: false,
  });
  expect(JSON.parse(retinue("--list", "--json").stdout)).toEqual([]);
});

test("what a stranger named cannot move the cursor or confuse the program", () => {
  const { retinue } = shop('{"\\u001b[2Jevil": 1, "constructor": {"a": 1}, "toString": [1]}');
  const { status, stdout, stderr } = retinue();
  expect(status).toBe(0);
  expect(stdout).not.toContain("\u001b");
  expect(stderr).toMatch(/^.*: error: The key 'constructor' is ignored/);
  // Keys that no version knows act on nothing.
  expect(stdout).not.toMatch(/evil|toString/);
});

test("settings that cannot be read are named before the folder is trusted", () => {
  const { retinue } = shop('{"model": }');
  const { status, stderr } = retinue();
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /settings\.json:1:\d+: error: This is not valid JSON: a value is expected/,
  );
  expect(retinue("--list").stdout).toBe("");
});

test("a worktree is not revoked while its main checkout is trusted", () => {
  const { folder, retinue } = shop();
  const tree = join(folder, "../tree");
  const entry = join(folder, ".git/worktrees/tree");
  writeFiles(tree, { ".git": `gitdir: ${entry}\n` });
  writeFiles(entry, { gitdir: `${join(tree, ".git")}\n`, commondir: "../..\n" });
  const repository = { HEAD: "ref: refs/heads/main\n", "objects/x": "", "refs/x": "" };
  writeFiles(join(folder, ".git"), repository);
  retinue();
  const { status, stderr } = retinue("--revoke", tree);
  expect(status).toBe(2);
  expect(stderr).toBe(
    `retinue: ${tree} is trusted because it belongs to ${folder}. 'retinue trust --revoke ${folder}' takes that back.\n`,
  );
});

test("misuse is said and changes nothing", () => {
  const { folder, retinue } = shop();
  const gone = join(folder, "gone");
  expect(retinue(gone)).toMatchObject({
    status: 2,
    stdout: "",
    stderr: `retinue: ${gone} is not a directory. Name a directory of the project to trust.\n`,
  });
  expect(retinue("--list", "--revoke").status).toBe(2);
  expect(JSON.parse(retinue("--list", "--json").stdout)).toEqual([]);
});

test("--dry-run says what would act, in folders inside too, and trusts nothing", () => {
  const { folder, retinue } = shop('{"model": "opus", "modle": 1}');
  writeFiles(folder, {
    "sub/.claude/agents/a.md":
      "---\nname: a\ndescription: d\npermissionMode: bypassPermissions\n---\n",
  });
  symlinkSync("/etc/hostname", join(folder, "sub/.claude/agents/out.md"));
  const outside = temporaryDirectory();
  writeFiles(outside, { "s/SKILL.md": "---\ndescription: d\n---\n" });
  mkdirSync(join(folder, ".claude/skills"), { recursive: true });
  symlinkSync(join(outside, "s"), join(folder, ".claude/skills/s"));
  const { status, stdout } = retinue("--dry-run");
  expect(status).toBe(0);
  expect(stdout).toContain("model");
  expect(stdout).not.toContain("modle");
  expect(stdout).toMatch(/sub\/\.claude\/agents\/a\.md +permissionMode/);
  expect(stdout).toMatch(/sub\/\.claude\/agents\/out\.md +a link/);
  expect(stdout).toMatch(/\.claude\/skills\/s\/SKILL\.md +a link/);
  expect(retinue("--list").stdout).toBe("");
});
