import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createManager, createRehearsal, parseScenario, type ModelRequest } from "../src/index.ts";
import { trustFolder } from "../src/settings/trust.ts";
import { committedRepository } from "./support/committed-repository.ts";
import { temporaryDirectory, writeFiles } from "./support/stage.ts";
import { bin } from "./support/bin.ts";
import { canTrace } from "./support/traced.ts";

/* What git and the files of a repository do when a session starts, in a folder that nobody trusts and in a trusted one. */

interface Repository {
  readonly root: string;
  readonly outside: string;
  readonly git: (...args: string[]) => void;
}

function repository(): Repository {
  const [root, outside] = [temporaryDirectory(), temporaryDirectory()];
  writeFiles(root, { "a.txt": "one\n", "b.bin": "one\n" });
  return { root, outside, git: committedRepository(root) };
}

/** The system prompt that a session there begins with. */
async function prompt(cwd: string, configDir: string): Promise<string> {
  const requests: ModelRequest[] = [];
  const model = createRehearsal(parseScenario("turns: [{ reply: ok, repeat: true }]", "s"));
  await using manager = createManager({
    cwd,
    configDir,
    model: {
      ...model,
      stream(request, signal) {
        requests.push(request);
        return model.stream(request, signal);
      },
    },
  });
  const agent = await manager.spawn({ prompt: "x" });
  await manager.output(agent.id, { block: true });
  return requests[0]?.system ?? "";
}

/** A real run, in which only a list is written. Returns the programs that were started. */
function startedBy(cwd: string, home: string): string[] {
  const turns = [{ reply: [{ call: "TodoWrite", input: { todos: [] } }] }, { reply: "done" }];
  writeFileSync(join(home, "s.yaml"), JSON.stringify({ turns }));
  const { CLAUDE_CONFIG_DIR: _config, XDG_CONFIG_HOME: _xdg, VITEST: _v, ...env } = process.env;
  const retinue = [bin, "run", "-p", "--permission-mode", "plan", "--rehearse", "s.yaml"];
  const run = [...retinue.slice(0, -1), join(home, "s.yaml"), "go"];
  const log = join(home, "trace");
  const trace = ["-f", "-qq", "-e", "trace=execve,execveat", "-o", log];
  const { status, stderr } = spawnSync("strace", [...trace, process.execPath, ...run], {
    cwd,
    env: { ...env, HOME: home },
    encoding: "utf8",
    timeout: 50_000,
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return [...readFileSync(log, "utf8").matchAll(/execve(?:at)?\("([^"]+)".* = 0$/gm)].map(
    ([, file = ""]) => file,
  );
}

const filter = (marker: string): string =>
  `[filter "x"]\n\tclean = "touch ${marker}; cat"\n[filter "lfs"]\n\tclean = "touch ${marker}; cat"\n`;

/** Makes git compare the files once more. */
function touch(root: string): void {
  for (const name of ["a.txt", "b.bin"]) utimesSync(join(root, name), 1, 1);
}

test.runIf(canTrace)(
  "a .git/commondir with a blank in front, behind which a filter hides, has nothing run at the start",
  () => {
    const { root, outside } = repository();
    const marker = join(outside, "ran");
    writeFiles(root, {
      ".gitattributes": "* filter=x\n",
      ".git/commondir": " c\n",
      ".git/c/config": "",
    });
    mkdirSync(join(root, ".git/ c"));
    const config = readFileSync(join(root, ".git/config"), "utf8");
    writeFileSync(join(root, ".git/ c/config"), config + filter(marker));
    for (const name of ["objects", "refs"]) {
      execFileSync("cp", ["-r", join(root, ".git", name), join(root, ".git/ c", name)]);
    }
    writeFileSync(join(root, "a.txt"), "two\n");
    expect(startedBy(root, outside)).toEqual([process.execPath]);
    expect(existsSync(marker)).toBe(false);
  },
);

test.runIf(canTrace)(
  "a folder that nobody trusts does not have the person's own git filters run at the start",
  async () => {
    const { root, outside } = repository();
    const marker = join(outside, "ran");
    writeFileSync(join(outside, ".gitconfig"), filter(marker));
    writeFiles(root, { ".gitattributes": "*.bin filter=lfs\n" });
    touch(root);
    expect(startedBy(root, outside)).toEqual([process.execPath]);
    expect(existsSync(marker)).toBe(false);
    await trustFolder(root, join(outside, ".claude"));
    expect(startedBy(root, outside)).toContainEqual(expect.stringMatching(/\/git$/));
    expect(existsSync(marker)).toBe(true);
  },
);

test("a HEAD that is a link to a file of the person's does not reach the model", async () => {
  const { root, outside } = repository();
  const head = join(root, ".git/HEAD");
  for (const text of ["ghp_SECRETTOKEN\n", "ref: refs/heads/SECRET-LINE\n"]) {
    writeFileSync(join(outside, "token"), text);
    rmSync(head);
    symlinkSync(join(outside, "token"), head);
    expect(await prompt(root, join(outside, "config"))).not.toMatch(/SECRET|Branch:/);
  }
});

test("a HEAD that is no branch by a plain name and no hash is not told", async () => {
  const { root, outside } = repository();
  const told = async (head: string): Promise<string | undefined> => {
    writeFileSync(join(root, ".git/HEAD"), head);
    return /^Branch: (.*)$/m.exec(await prompt(root, join(outside, "config")))?.[1];
  };
  expect(await told("ref: refs/heads/fix/größe-2\n")).toBe("fix/größe-2");
  expect(await told(`${"0123456789".repeat(4)}\n`)).toBe("012345678901");
  expect(await told("0123456789\n")).toBeUndefined();
  expect(await told("password\n")).toBeUndefined();
  expect(await told("ref: refs/heads/a b\n")).toBeUndefined();
  expect(await told("ref: refs/heads/main\nmore\n")).toBeUndefined();
});

test.each(["a file", "a link"])(
  "a .git that is %s to another repository of the person's tells nothing of that one",
  async (kind) => {
    const other = repository();
    other.git("checkout", "-b", "secret-branch");
    const { root, outside } = repository();
    rmSync(join(root, ".git"), { recursive: true });
    const target = join(other.root, ".git");
    if (kind === "a file") writeFileSync(join(root, ".git"), `gitdir: ${target}\n`);
    else symlinkSync(target, join(root, ".git"));
    rmSync(join(root, "a.txt"));
    expect(await prompt(root, join(outside, "config"))).not.toMatch(/secret|a\.txt|Branch:/);
  },
);

test("in a trusted repository branch and status are told, and filters of its own keep git from running", async () => {
  const { root, outside } = repository();
  const configDir = join(outside, "config");
  writeFileSync(join(root, "a.txt"), "two\n");
  expect(await prompt(root, configDir)).not.toContain("<git_status>");
  await trustFolder(root, configDir);
  expect(await prompt(root, configDir)).toMatch(/Branch: main[\s\S]*## main\n M a\.txt/);
  const marker = join(outside, "ran");
  appendFileSync(join(root, ".git/config"), filter(marker));
  writeFiles(root, { ".gitattributes": "* filter=x\n" });
  expect(await prompt(root, configDir)).not.toContain("<git_status>");
  expect(existsSync(marker)).toBe(false);
});
