import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { globTool } from "./glob.ts";
import { ToolBench } from "../shell/shell-tools-fixture.ts";

let bench: ToolBench;

beforeEach(async () => {
  bench = await ToolBench.create();
});

afterEach(async () => {
  await bench[Symbol.asyncDispose]();
});

/** Writes files, the first one the oldest. */
async function write(...names: string[]): Promise<void> {
  for (const [index, name] of names.entries()) {
    const path = join(bench.root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "");
    await utimes(path, 1_000_000 + index, 1_000_000 + index);
  }
}

async function glob(pattern: string, path?: string): Promise<string[]> {
  const { data } = await bench.call(globTool, { pattern, ...(path !== undefined && { path }) });
  return (data as { filenames: string[] }).filenames;
}

describe("files are found", () => {
  test("where an absolute pattern says, whatever the path beside it is", async () => {
    await write("src/a.ts");
    const pattern = join(bench.root, "src/*.ts");
    for (const path of ["/nowhere/at/all", "/etc/passwd", "src"])
      expect(await glob(pattern, path)).toEqual(["src/a.ts"]);
  });

  test("newest first", async () => {
    await write("b.ts", "src/a.ts", "c.ts", "d.js");
    expect(await glob("**/*.ts")).toEqual(["c.ts", "src/a.ts", "b.ts"]);
  });

  test.each([
    ["src/**/*.{ts,tsx}", ["src/deep/b.tsx", "src/a.ts"]],
    ["src/*.ts", ["src/a.ts"]],
    ["{src,test}/*.ts", ["test/a.ts", "src/a.ts"]],
    ["src/{a,deep/b}.*", ["src/deep/b.tsx", "src/a.ts"]],
    ["**/[ab].ts", ["test/a.ts", "src/a.ts"]],
    ["**/?.tsx", ["src/deep/b.tsx"]],
    ["*.ts", ["test/a.ts", "src/a.ts"]],
    ["src/a.ts", ["src/a.ts"]],
    ["./src/*", ["src/a.ts"]],
    ["**/.hidden/*", [".hidden/x"]],
    ["!odd", ["!odd"]],
    ["#odd", ["#odd"]],
    ["--odd", ["--odd"]],
    ["nothing/**", []],
    ["src", []],
  ])("by the pattern %s", async (pattern, expected) => {
    await write("src/a.ts", "src/deep/b.tsx", "test/a.ts", ".hidden/x", "!odd", "#odd", "--odd");
    expect(await glob(pattern)).toEqual(expected);
  });

  test("by an absolute pattern, inside and outside the current directory", async () => {
    await write("src/a.ts", "lib/b.ts");
    expect(await glob(`${bench.root}/src/**`)).toEqual(["src/a.ts"]);
    bench.workbench.cwd = join(bench.root, "src");
    expect(await glob(`${bench.root}/lib/*.ts`)).toEqual([join(bench.root, "lib/b.ts")]);
    expect(await glob("../lib/*.ts")).toEqual([join(bench.root, "lib/b.ts")]);
  });

  test("in another directory, named from the current one", async () => {
    await write("src/a.ts", "lib/b.ts");
    expect(await glob("*.ts", "lib")).toEqual(["lib/b.ts"]);
    expect(await glob("*.ts", join(bench.root, "lib"))).toEqual(["lib/b.ts"]);
  });

  test.each(["**/*", "**", "*", "*.log", "**/*.ts"])(
    "without those that are ignored, by the pattern %s",
    async (pattern) => {
      await write(
        "a.log",
        "keep.log",
        "a.ts",
        "node_modules/x/b.ts",
        "src/node_modules/c.ts",
        ".git/d.ts",
      );
      await writeFile(join(bench.root, ".gitignore"), "node_modules\n*.log\n!keep.log\n");
      for (const name of await glob(pattern))
        expect(["keep.log", "a.ts", ".gitignore"]).toContain(name);
      expect(await glob(pattern)).toContain(pattern === "*.log" ? "keep.log" : "a.ts");
    },
  );

  test("up to a hundred, with a word about the others", async () => {
    await write(...Array.from({ length: 130 }, (_, index) => `${index}.txt`));
    const output = await bench.call(globTool, { pattern: "*.txt" });
    expect(output.data).toMatchObject({
      numFiles: 100,
      truncated: true,
      totalMatches: 130,
      countIsComplete: true,
    });
    expect(output.content.split("\n")[0]).toBe("129.txt");
    expect(output.content).toContain("The newest 100 of 130 files");
  });
});

test("nothing found is no error", async () => {
  const output = await bench.call(globTool, { pattern: "*.none" });
  expect(output).toMatchObject({
    content: "No files found",
    data: { numFiles: 0, filenames: [], truncated: false },
  });
  expect(output.isError).toBeUndefined();
});

test.each([
  [{ pattern: "*", path: "missing" }, "is not a directory"],
  [{ pattern: "{a" }, "unclosed alternate group"],
])("the input %o is a failure that says what is wrong", async (input, message) => {
  expect(await bench.call(globTool, input)).toMatchObject({
    isError: true,
    content: expect.stringContaining(message),
  });
});

test("an aborted search ends with the reason", async () => {
  await expect(
    bench.call(globTool, { pattern: "**" }, { signal: AbortSignal.abort("stop") }),
  ).rejects.toBe("stop");
});

test("the paths of a call are where it searches", () => {
  const paths = (input: Record<string, unknown>): string[] | undefined =>
    globTool.paths?.(input, "/home");
  expect(paths({ pattern: "src/**/*.ts" })).toEqual(["/home/src"]);
  expect(paths({ pattern: "/etc/*" })).toEqual(["/etc"]);
  expect(paths({ pattern: "../other/*", path: "lib" })).toEqual(["/home/other"]);
  expect(paths({ pattern: "*.ts" })).toEqual(["/home"]);
});
