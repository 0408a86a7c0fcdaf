import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory, writeFiles } from "../../test/support/stage.ts";
import type { Loaded } from "./definition-file.ts";
import { DirectoryChanges } from "./directory-changes.ts";
import { DefinitionLoader } from "./load.ts";
import { unrestrained } from "./restrain.ts";
import { until } from "../../test/support/until.ts";

const agent = (name: string, body = ""): string =>
  `---\nname: ${name}\ndescription: d\n---\n${body}`;

interface Stage {
  loader: DefinitionLoader;
  agents: string;
  write: (file: string, text: string) => void;
  remove: (file: string) => void;
  names: () => Promise<string[]>;
  prompt: (name: string) => Promise<string | undefined>;
}

/** A loader of one directory that need not be there yet. `many`: so many files that it watches. */
function stage(options: { many: boolean }): Stage {
  const agents = join(temporaryDirectory(), ".claude", "agents");
  const crowd = Array.from({ length: options.many ? 101 : 0 }, (_, at) => `crowd-${at}`);
  writeFiles(agents, Object.fromEntries(crowd.map((name) => [`crowd/${name}.md`, agent(name)])));
  const loader = new DefinitionLoader({
    places: [{ source: "project", path: agents, trusted: true, within: null }],
    lenient: false,
    restraints: unrestrained,
  });
  onTestFinished(() => loader[Symbol.dispose]());
  const load = (): Promise<Loaded> => loader.load();
  return {
    loader,
    agents,
    write: (file, text) => writeFiles(agents, { [file]: text }),
    remove: (file) => rmSync(join(agents, file), { recursive: true }),
    names: async () => {
      const { definitions } = await load();
      const names = definitions.map(({ name }) => name);
      expect(names.filter((name) => name.startsWith("crowd-")).length).toBe(crowd.length);
      return names.filter((name) => !name.startsWith("crowd-"));
    },
    prompt: async (name) => (await load()).definitions.find((one) => one.name === name)?.prompt,
  };
}

test.each([".claude/worktrees/x", ".Claude/worktrees/x/deep", ".x"])(
  "a file that an agent writes below agents/%s is no agent",
  async (folder) => {
    const { write, names } = stage({ many: false });
    write("a.md", agent("a"));
    write(`${folder}/evil.md`, agent("evil"));
    write(`team/${folder}/evil.md`, agent("evil"));
    expect(await names()).toEqual(["a"]);
  },
);

/** Watching reports a moment later; looking each time does not. */
const seen = (check: () => Promise<unknown>, expected: unknown): Promise<void> =>
  until(async () => expect(await check()).toEqual(expected));

for (const many of [false, true]) {
  const how = many ? "in a crowd that is watched" : "in a directory that is looked at each time";

  test(`a file that comes, changes and goes is seen, ${how}`, async () => {
    const { names, prompt, write, remove } = stage({ many });
    expect(await names()).toEqual([]);
    write("a.md", agent("a", "one"));
    await seen(names, ["a"]);
    expect(await prompt("a")).toBe("one");
    write("a.md", agent("a", "another"));
    await seen(() => prompt("a"), "another");
    write("a.md", agent("b"));
    await seen(names, ["b"]);
    remove("a.md");
    await seen(names, []);
  });

  test(`folders that come later are read, and what changes in them is seen, ${how}`, async () => {
    const { names, prompt, write, remove } = stage({ many });
    expect(await names()).toEqual([]);
    write("sub/deep/a.md", agent("a", "one"));
    await seen(names, ["a"]);
    write("sub/deep/b.md", agent("b"));
    await seen(names, ["a", "b"]);
    write("sub/deep/a.md", agent("a", "two"));
    await seen(() => prompt("a"), "two");
    remove("sub");
    await seen(names, []);
  });

  test(`a folder that is removed and made again is still followed, ${how}`, async () => {
    const { names, prompt, write, remove, agents } = stage({ many });
    write("sub/a.md", agent("a", "one"));
    expect(await names()).toEqual(["a"]);
    expect(await names()).toEqual(["a"]);
    remove("sub");
    write("sub/a.md", agent("a", "two"));
    await seen(() => prompt("a"), "two");
    write("sub/a.md", agent("a", "three"));
    await seen(() => prompt("a"), "three");
    remove("");
    write("sub/a.md", agent("a", "four"));
    for (let at = 0; at < (many ? 101 : 0); at += 1) write(`crowd/${at}.md`, agent(`crowd-${at}`));
    await seen(() => prompt("a"), "four");
    write("sub/a.md", agent("a", "five"));
    await seen(() => prompt("a"), "five");
    renameSync(join(agents, "sub"), join(agents, "moved"));
    write("sub/b.md", agent("b"));
    await seen(names, ["a", "b"]);
    write("sub/c.md", agent("c"));
    await seen(names, ["a", "b", "c"]);
  });

  test(`a broken edit keeps the last good version and says so, ${how}`, async () => {
    const { loader, prompt, write, agents } = stage({ many });
    write("a.md", agent("a", "good"));
    expect(await prompt("a")).toBe("good");
    write("a.md", "---\nname: a\n<b>\n---\nbad");
    const problems = async (): Promise<unknown> =>
      (await loader.load()).diagnostics.map(({ severity, file, message }) => [
        severity,
        file,
        /not valid YAML|from before the last edit is still in use/.exec(message)?.[0],
      ]);
    await seen(problems, [
      ["error", join(agents, "a.md"), "not valid YAML"],
      ["warning", join(agents, "a.md"), "from before the last edit is still in use"],
    ]);
    expect(await prompt("a")).toBe("good");
    write("a.md", "---\nname: a\n---\nstill bad");
    await seen(
      async () => (await loader.load()).diagnostics.map(({ code }) => code),
      ["missing", "unreadable"],
    );
    expect(await prompt("a")).toBe("good");
    write("a.md", agent("a", "better"));
    await seen(() => prompt("a"), "better");
    expect((await loader.load()).diagnostics).toEqual([]);
  });

  test(`a link is followed to what it leads to now, ${how}`, async () => {
    const { loader, names, prompt, write, agents } = stage({ many });
    const target = join(dirname(agents), "elsewhere.md");
    mkdirSync(agents, { recursive: true });
    writeFileSync(target, agent("a", "one"));
    symlinkSync(target, join(agents, "link.md"));
    await seen(() => prompt("a"), "one");
    appendFileSync(target, " more");
    await seen(() => prompt("a"), "one more");
    unlinkSync(target);
    await seen(names, []);
    expect((await loader.load()).diagnostics).toMatchObject([
      { severity: "error", message: "It is a link that leads nowhere. Correct or remove it." },
    ]);
    write("../elsewhere.md", agent("a", "back"));
    await seen(() => prompt("a"), "back");
  });
}

test("as long as nothing changes the answer is the same object, watched or not", async () => {
  for (const many of [false, true]) {
    const { loader, write } = stage({ many });
    write("a.md", agent("a"));
    const first = await loader.load();
    expect(await loader.load()).toBe(first);
    expect(await loader.load()).toBe(first);
    write("b.md", agent("b"));
    await seen(async () => (await loader.load()) === first, false);
  }
});

test("a file that is written while the files are read for the first time is not missed", async () => {
  const { loader, prompt, names, write } = stage({ many: true });
  write("a.md", agent("a", "old"));
  const loading = loader.load();
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
  // The directories are listed and a.md is read by now; neither is watched yet.
  write("a.md", agent("a", "newer"));
  write("crowd/b.md", agent("b"));
  await loading;
  expect(await prompt("a")).toBe("newer");
  expect(await names()).toEqual(["a", "b"]);
});

test("fifty writes in a row are one change to listeners", async () => {
  const { loader, write, names } = stage({ many: false });
  write("a.md", agent("a", "0"));
  await loader.load();
  let calls = 0;
  const stop = loader.onChange(() => (calls += 1));
  for (let at = 1; at <= 50; at += 1) write("a.md", agent("a", String(at)));
  await until(() => expect(calls).toBe(1));
  expect(await names()).toEqual(["a"]);
  // A second change is a second call, and none has come in between.
  write("b.md", agent("b"));
  await until(() => expect(calls).toBe(2));
  stop();
  let others = 0;
  loader.onChange(() => (others += 1));
  write("c.md", agent("c"));
  await until(() => expect(others).toBe(1));
  expect(calls).toBe(2);
});

test("listeners hear of files in a directory that is made later, and of changes there", async () => {
  const { loader, write, names } = stage({ many: false });
  expect(await names()).toEqual([]);
  let calls = 0;
  loader.onChange(() => (calls += 1));
  const next = async (change: () => void): Promise<void> => {
    const before = calls;
    change();
    await until(() => expect(calls).toBeGreaterThan(before));
  };
  await next(() => write("sub/a.md", agent("a")));
  await next(() => write("sub/a.md", agent("b")));
  await next(() => write("sub/deep/c.md", agent("c")));
  await next(() => write("sub/deep/c.md", agent("d")));
  expect((await names()).toSorted()).toEqual(["b", "d"]);
});

test.skipIf(process.platform !== "linux")(
  "after disposal nothing is watched and nobody is told",
  async () => {
    const { loader, write, names } = stage({ many: true });
    await names();
    let calls = 0;
    loader.onChange(() => (calls += 1));
    const before = watchers();
    expect(before).toBeGreaterThanOrEqual(2);
    const loading = loader.load();
    loader[Symbol.dispose]();
    await loading;
    expect(watchers()).toBe(before - 2);
    write("a.md", agent("a"));
    // Asked again it looks for itself, and does not start to watch.
    expect(await names()).toEqual(["a"]);
    write("b.md", agent("b"));
    expect(await names()).toEqual(["a", "b"]);
    expect(watchers()).toBe(before - 2);
    expect(calls).toBe(0);
  },
);

/** Watchers of the whole process, as Linux counts them. */
function watchers(): number {
  const files = readdirSync("/proc/self/fdinfo").map((name) => {
    try {
      return readFileSync(`/proc/self/fdinfo/${name}`, "utf8");
    } catch {
      return "";
    }
  });
  return files.join("\n").match(/^inotify /gm)?.length ?? 0;
}

test("where the system cannot watch, every load looks for itself", async () => {
  const watch = vi.spyOn(DirectoryChanges.prototype, "watch").mockImplementation(function (
    this: DirectoryChanges,
  ) {
    this.blind = true;
    return [];
  });
  onTestFinished(() => watch.mockRestore());
  const { names, prompt, write, remove } = stage({ many: true });
  expect(await names()).toEqual([]);
  expect(watch).toHaveBeenCalled();
  write("sub/a.md", agent("a", "one"));
  expect(await names()).toEqual(["a"]);
  write("sub/a.md", agent("a", "other"));
  expect(await prompt("a")).toBe("other");
  remove("sub");
  expect(await names()).toEqual([]);
});
