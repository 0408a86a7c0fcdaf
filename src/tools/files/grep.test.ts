import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { grepTool } from "./grep.ts";
import { ToolBench } from "../shell/shell-tools-fixture.ts";

let bench: ToolBench;

beforeEach(async () => {
  bench = await ToolBench.create();
});

afterEach(async () => {
  await bench[Symbol.asyncDispose]();
});

/** Writes files, the first one the oldest. */
async function write(files: Record<string, string>): Promise<void> {
  for (const [index, [name, text]] of Object.entries(files).entries()) {
    const path = join(bench.root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    await utimes(path, 1_000_000 + index, 1_000_000 + index);
  }
}

const grep = (input: Record<string, unknown>) => bench.call(grepTool, input);

const content = async (input: Record<string, unknown>): Promise<string> =>
  (await grep({ output_mode: "content", ...input })).content;

describe("the modes", () => {
  beforeEach(() =>
    write({ "b.ts": "one\ntwo\nOne\n", "src/a.ts": "one one\nthree\n", "c.md": "none\n" }),
  );

  test("files_with_matches, the default, lists files, newest first", async () => {
    expect(await grep({ pattern: "one" })).toEqual({
      content: "c.md\nsrc/a.ts\nb.ts",
      data: { mode: "files_with_matches", numFiles: 3, filenames: ["c.md", "src/a.ts", "b.ts"] },
    });
  });

  test("content shows lines with their numbers, in the order of the paths", async () => {
    const text = "b.ts:1:one\nc.md:1:none\nsrc/a.ts:1:one one";
    expect(await grep({ pattern: "one", output_mode: "content" })).toEqual({
      content: text,
      data: { mode: "content", numFiles: 0, filenames: [], content: text, numLines: 3 },
    });
  });

  test("count counts the matching lines", async () => {
    expect(await grep({ pattern: "one", output_mode: "count", "-i": true })).toEqual({
      content: "b.ts:2\nc.md:1\nsrc/a.ts:1",
      data: {
        mode: "count",
        numFiles: 3,
        filenames: [],
        content: "b.ts:2\nc.md:1\nsrc/a.ts:1",
        numMatches: 4,
      },
    });
  });

  test.each([
    [{ pattern: "ONE", "-i": true, path: "b.ts" }, "b.ts:1:one\nb.ts:3:One"],
    [{ pattern: "two", "-C": 1 }, "b.ts-1-one\nb.ts:2:two\nb.ts-3-One"],
    [{ pattern: "two", context: 1 }, "b.ts-1-one\nb.ts:2:two\nb.ts-3-One"],
    [{ pattern: "two", "-A": 1 }, "b.ts:2:two\nb.ts-3-One"],
    [{ pattern: "two", "-B": 1 }, "b.ts-1-one\nb.ts:2:two"],
    [{ pattern: "two", "-n": false }, "b.ts:two"],
    [{ pattern: "one", "-o": true, path: "src" }, "src/a.ts:1:one\nsrc/a.ts:1:one"],
    [{ pattern: "one", type: "md" }, "c.md:1:none"],
    [{ pattern: "one", glob: "*.{md,txt}" }, "c.md:1:none"],
    [{ pattern: "one", glob: "*.md, src/**" }, "c.md:1:none\nsrc/a.ts:1:one one"],
    [{ pattern: "one", glob: "!*.md", path: "." }, "b.ts:1:one\nsrc/a.ts:1:one one"],
    [{ pattern: "two.One", multiline: true }, "b.ts:2:two\nb.ts:3:One"],
    [{ pattern: "two.One" }, "No matches found"],
    [{ pattern: "^o.e$" }, "b.ts:1:one"],
  ])("content obeys %o", async (input, expected) => {
    expect(await content(input)).toBe(expected);
  });
});

describe("long results", () => {
  test("stay in the order of the paths, however many files there are", async () => {
    const names = Array.from({ length: 450 }, (_, index) => `${index + 1000}.txt`);
    await write(Object.fromEntries(names.map((name) => [name, "x\n"])));
    const { content } = await grep({ pattern: "x", output_mode: "content", head_limit: 0 });
    expect(content.split("\n")).toEqual(names.map((name) => `${name}:1:x`));
  });

  test("stop at head_limit and say how to read on", async () => {
    await write({ "a.txt": "x\n".repeat(300) });
    const first = await grep({ pattern: "x", output_mode: "content" });
    expect(first.data).toMatchObject({ numLines: 250, appliedLimit: 250 });
    expect(first.content).toContain("repeat with offset 250");
    const rest = await grep({ pattern: "x", output_mode: "content", offset: 250 });
    expect(rest.data).toMatchObject({ numLines: 50, appliedOffset: 250 });
    expect(rest.content.split("\n").at(-1)).toBe("a.txt:300:x");
    expect(await content({ pattern: "x", offset: 300 })).toBe("No more matches");
  });

  test("are whole without a limit, up to what a model can read", async () => {
    await write({ "a.txt": "x\n".repeat(1000), "b.txt": `${"y".repeat(300)}\n`.repeat(1000) });
    expect((await content({ pattern: "x", head_limit: 0 })).split("\n")).toHaveLength(1000);
    const much = await content({ pattern: "y", head_limit: 0 });
    expect(much.length).toBeLessThan(101_000);
    expect(much).toContain("More follow");
  });

  test("have long lines cut", async () => {
    await write({ "a.txt": `start ${"x".repeat(5000)}\n` });
    expect(await content({ pattern: "start" })).toMatch(/^a\.txt:1:start x{494} \[.*\]$/);
  });

  test("end the search early instead of reading everything", async () => {
    await write({ "a.txt": "x\n".repeat(2_000_000) });
    expect((await content({ pattern: "x", head_limit: 1 })).split("\n")[0]).toBe("a.txt:1:x");
  });
});

describe("what is searched", () => {
  test("includes hidden files and leaves out .git and what is ignored", async () => {
    await write({
      ".hidden": "x",
      ".git/config": "x",
      "node_modules/a.js": "x",
      "a.js": "x",
      ".gitignore": "node_modules\n",
    });
    expect((await grep({ pattern: "x" })).content).toBe("a.js\n.hidden");
    expect((await grep({ pattern: "x", glob: "**/*" })).content).not.toContain(".git/config");
  });

  test("outside the current directory is named by its absolute path", async () => {
    await write({ "a.txt": "x", "sub/b.txt": "" });
    bench.workbench.cwd = join(bench.root, "sub");
    expect((await grep({ pattern: "x", path: ".." })).content).toBe(join(bench.root, "a.txt"));
  });

  test.each(["--version", "-e", "--pre=cat", "--files", "-"])(
    "never takes the pattern %s for an option",
    async (pattern) => {
      await write({ "a.txt": `before ${pattern} after\n`, "--files": "" });
      expect(await content({ pattern, path: "a.txt" })).toBe(`a.txt:1:before ${pattern} after`);
      expect(await content({ pattern: "x", path: "--files" })).toBe("No matches found");
    },
  );
});

describe("failures", () => {
  test.each([
    [{ pattern: "foo(" }, "unclosed group"],
    [{ pattern: "x", type: "nope" }, "unrecognized file type: nope"],
    [{ pattern: "x", path: "missing" }, "does not exist"],
    [{ pattern: "x", glob: "{a" }, "unclosed alternate group"],
  ])("of %o say what is wrong", async (input, message) => {
    await write({ "a.txt": "x" });
    expect(await grep(input)).toMatchObject({
      isError: true,
      content: expect.stringContaining(message),
    });
  });

  test("do not include finding nothing", async () => {
    const output = await grep({ pattern: "x" });
    expect(output).toMatchObject({
      content: "No matches found",
      data: { numFiles: 0, filenames: [] },
    });
    expect(output.isError).toBeUndefined();
  });

  test("of a vanished directory are no crash", async () => {
    bench.workbench.cwd = join(bench.root, "gone");
    expect(await grep({ pattern: "x", path: bench.root })).toMatchObject({ isError: true });
  });

  test("do not hide an abort", async () => {
    const signal = AbortSignal.abort("stop");
    await expect(bench.call(grepTool, { pattern: "x" }, { signal })).rejects.toBe("stop");
  });
});
