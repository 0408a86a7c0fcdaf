import {
  appendFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createManager, createRehearsal, parseScenario } from "../src/index.ts";
import { committedRepository } from "./support/committed-repository.ts";
import { setStage, temporaryDirectory, writeFiles } from "./support/stage.ts";

test("instructions come from regular files of the repository only: no link out of it, no pipe that never ends", async () => {
  const secret = temporaryDirectory();
  writeFileSync(join(secret, "key"), "SECRET-VALUE");
  const { manager, cwd, requests } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "AGENTS.md": "Use tabs." },
  });
  const ask = async (): Promise<string> => {
    const agent = await manager.spawn({ prompt: "x" });
    await manager.output(agent.id, { block: true });
    return JSON.stringify(requests.at(-1)?.messages);
  };
  expect(await ask()).toContain("Use tabs.");
  symlinkSync(join(secret, "key"), join(cwd, "CLAUDE.md"));
  expect(await ask()).not.toContain("SECRET-VALUE");
  rmSync(join(cwd, "CLAUDE.md"));
  execFileSync("mkfifo", [join(cwd, "CLAUDE.md")]);
  expect(await ask()).not.toContain("Use tabs.");
});

test("a repository cannot have git run its programs when an agent is spawned in it", async () => {
  const marker = join(temporaryDirectory(), "ran");
  const { manager, requests } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "a.txt": "one" },
    prepare(cwd) {
      const git = withFilter(cwd, marker);
      git("config", "core.fsmonitor", `sh -c 'touch ${marker}'`);
      writeFileSync(join(cwd, "a.txt"), "two");
    },
  });
  const agent = await manager.spawn({ prompt: "x" });
  await manager.output(agent.id, { block: true });
  expect(existsSync(marker)).toBe(false);
  expect(requests[0]?.system).not.toContain("git_status");
});

test.each([
  [
    "a section that does not start its line",
    '[x][filter "evil"]\n\tclean = "sh -c \\"touch MARKER; cat\\""\n',
  ],
  ["an include", "[include]\n\tpath = evil\n"],
])("no spelling of a filter in a repository's configuration is run: %s", async (_name, config) => {
  const marker = join(temporaryDirectory(), "ran");
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "a.txt": "one" },
    prepare(cwd) {
      committedRepository(cwd);
      writeFiles(cwd, {
        ".gitattributes": "* filter=evil\n",
        ".git/evil": `[filter "evil"]\n\tclean = "sh -c \\"touch ${marker}; cat\\""\n`,
      });
      appendFileSync(join(cwd, ".git/config"), config.replace("MARKER", marker));
      writeFileSync(join(cwd, "a.txt"), "two");
    },
  });
  const agent = await manager.spawn({ prompt: "x" });
  await manager.output(agent.id, { block: true });
  expect(existsSync(marker)).toBe(false);
});

test("a .git file that leads git elsewhere than it leads us, and pipes in place of git's files, do nothing", async () => {
  const marker = join(temporaryDirectory(), "ran");
  const { manager, cwd } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "a.txt": "one" },
    prepare(cwd) {
      withFilter(cwd, marker);
      writeFiles(cwd, { "a.txt": "two" });
      renameSync(join(cwd, ".git"), join(cwd, "g\nx"));
      mkdirSync(join(cwd, "g"));
      writeFileSync(join(cwd, ".git"), "gitdir: g\nx\n");
    },
  });
  const ask = async (at: typeof manager): Promise<void> => {
    const agent = await at.spawn({ prompt: "x" });
    expect(await at.output(agent.id, { block: true })).toMatchObject({ state: "completed" });
  };
  await ask(manager);
  const below = join(cwd, "below");
  mkdirSync(join(below, ".git"), { recursive: true });
  for (const name of ["HEAD", "config"]) execFileSync("mkfifo", [join(below, ".git", name)]);
  const model = createRehearsal(parseScenario("turns: [{ reply: ok, repeat: true }]", "s"));
  await using other = createManager({ model, cwd: below, configDir: temporaryDirectory() });
  await ask(other);
  expect(existsSync(marker)).toBe(false);
});

test("git looks at exactly the repository that was looked at, not at one further up", async () => {
  const { manager, cwd } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "sub/a.txt": "one" },
  });
  const marker = join(temporaryDirectory(), "ran");
  withFilter(cwd, marker);
  writeFiles(cwd, { "sub/a.txt": "two" });
  mkdirSync(join(cwd, "sub/.git"));
  await using below = createManager({
    model: createRehearsal(parseScenario("turns: [{ reply: ok, repeat: true }]", "s")),
    cwd: join(cwd, "sub"),
    configDir: temporaryDirectory(),
  });
  const agent = await below.spawn({ prompt: "x" });
  await below.output(agent.id, { block: true });
  expect(existsSync(marker)).toBe(false);
  await manager.close();
});

test("a link from CLAUDE.md to AGENTS.md is followed, one to anything else is not", async () => {
  const { manager, cwd, requests } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "AGENTS.md": "Use tabs.", ".env": "TOKEN=SECRET-VALUE" },
  });
  const ask = async (target: string): Promise<string> => {
    rmSync(join(cwd, "CLAUDE.md"), { force: true });
    symlinkSync(target, join(cwd, "CLAUDE.md"));
    const agent = await manager.spawn({ prompt: "x" });
    await manager.output(agent.id, { block: true });
    return JSON.stringify(requests.at(-1)?.messages);
  };
  expect(await ask("AGENTS.md")).toContain("Use tabs.");
  expect(await ask(".env")).not.toContain("SECRET-VALUE");
});

/** A repository with a filter for each of its files, which leaves a mark when git runs it. */
function withFilter(cwd: string, marker: string): (...args: string[]) => void {
  const git = committedRepository(cwd);
  writeFileSync(join(cwd, ".gitattributes"), "* filter=evil\n");
  git("config", "filter.evil.clean", `sh -c 'touch ${marker}; cat'`);
  return git;
}
