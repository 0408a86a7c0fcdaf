import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { fileLimits } from "./agent-sandbox.ts";
import { whyUnavailable } from "./library.ts";
import { protectedPaths } from "./protected-paths.ts";
import { supervisorScript } from "./supervisor.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

let root: string;

beforeEach(() => {
  root = temporaryDirectory();
});

function make(...files: string[]): void {
  for (const file of files) {
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), "");
  }
}

test("the working directory may be written, and what the settings say, seen from there", async () => {
  const limits = {
    allowWrite: ["~/.cache", "/opt/out", "../sibling"],
    denyWrite: ["kept"],
    denyRead: ["~/.ssh"],
    allowRead: ["~/.ssh/config"],
  };
  const of = { limits, root, ownDirectories: ["/config"], writable: ["/tmp/own"] };
  expect(await fileLimits(of)).toEqual({
    allowWrite: [root, "/tmp/own", join(homedir(), ".cache"), "/opt/out", join(root, "../sibling")],
    denyWrite: expect.arrayContaining([join(root, "kept"), "/config", join(root, ".mcp.json")]),
    denyRead: [join(homedir(), ".ssh")],
    allowRead: [join(homedir(), ".ssh/config")],
  });
});

test("what is protected is found in the working directory and below it", async () => {
  make(
    ".git/hooks/pre-commit",
    "package/.git",
    "package/inner/.mcp.json",
    "package/lefthook.yml",
    "package/.config/git/config",
    "node_modules/a/.npmrc",
    "one/two/three/four/.envrc",
  );
  const below = (await protectedPaths(root)).map((path) => path.slice(root.length + 1));
  expect(below).toEqual(
    expect.arrayContaining([
      ".claude",
      ".mcp.json",
      ".git/hooks",
      ".git/config",
      "package/.git",
      "package/inner/.mcp.json",
      "package/lefthook.yml",
      "package/.config/git",
    ]),
  );
  // What does not exist, and what programs would take for a real one, is left alone; so is what lies too deep.
  for (const path of ["lefthook.yml", ".pnp.cjs", ".git", "node_modules/a/.npmrc"])
    expect(below).not.toContain(path);
  expect(below.filter((path) => path.startsWith("one"))).toEqual([]);
});

test.each([
  ["darwin", [], "works on Linux only"],
  ["win32", [], "works on Linux only"],
  ["linux", ["bubblewrap (bwrap) not installed", "socat not installed"], "apt-get install"],
] as const)("where there can be none (%s, %j) one line says so, with the remedy", (...given) => {
  const [platform, errors, remedy] = given;
  const line = whyUnavailable(platform, () => ({ errors, warnings: [] }));
  expect(line).toContain(remedy);
  expect(line).toMatch(/or set sandbox\.enabled to false\.$/);
  expect(line).not.toContain("\n");
});

test("half a sandbox counts as none", () => {
  expect(whyUnavailable("linux", () => ({ errors: [], warnings: [] }))).toBeUndefined();
  const check = () => ({ errors: [], warnings: ["seccomp not available"] });
  expect(whyUnavailable("linux", check)).toContain("seccomp not available");
});

test("the supervisor runs the command as it was written and reports its code", () => {
  make("it's/prelude");
  const directory = join(root, "it's");
  const command = join(directory, "command");
  writeFileSync(command, 'printf "%s|" "$0" "$VARIABLE" "$PWD"; exit 7\n\n');
  const script = supervisorScript({
    command,
    prelude: join(directory, "prelude"),
    cwd: directory,
    env: { VARIABLE: "it's" },
    before: ["inner=1"],
  }).replace("kill -0 -- -1", "false");
  const run = `exec 5>&1; bash -c "$1" 3>&5; echo " exit $?"`;
  expect(execFileSync("bash", ["-c", run, "bash", script]).toString()).toBe(
    `bash|it's|${directory}|7 exit 7\n`,
  );
});
