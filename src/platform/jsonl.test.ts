import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { JsonlWriter, parseJsonl, readJsonl } from "./jsonl.ts";

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "retinue-jsonl-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("JsonlWriter", () => {
  test("what it acknowledged is in the file, in order, and the file is private", async () => {
    const path = join(directory(), "deep", "a.jsonl");
    const writer = new JsonlWriter(path);
    const appends = Array.from({ length: 200 }, (_, n) => writer.append([{ n }]));
    await appends[0];
    expect(readFileSync(path, "utf8")).toContain('{"n":0}\n');
    await Promise.all(appends);
    expect(await readJsonl(path)).toEqual(Array.from({ length: 200 }, (_, n) => ({ n })));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await writer.close();
  });

  test.each([
    ["half a line", '{"n":1}\n{"n":2', '{"n":1}\n'],
    ["a first line only", '{"n":', ""],
    ["a block of NULs after a crash", `{"n":1}\n${"\0".repeat(5000)}`, '{"n":1}\n'],
    [
      "a torn line longer than the read buffer",
      `{"n":1}\n{"x":"${"y".repeat(200_000)}`,
      '{"n":1}\n',
    ],
    ["nothing wrong", '{"n":1}\n', '{"n":1}\n'],
  ])("cuts off a torn tail before the first append: %s", async (_name, before, kept) => {
    const path = join(directory(), "a.jsonl");
    writeFileSync(path, before);
    const writer = new JsonlWriter(path);
    await writer.append([{ n: 9 }]);
    await writer.close();
    expect(readFileSync(path, "utf8")).toBe(`${kept}{"n":9}\n`);
  });

  test("opens again after it was closed, and repairs again", async () => {
    const path = join(directory(), "a.jsonl");
    const writer = new JsonlWriter(path);
    await writer.append([{ n: 1 }]);
    await writer.close();
    appendFileSync(path, "torn");
    await writer.append([{ n: 2 }]);
    await writer.close();
    expect(readFileSync(path, "utf8")).toBe('{"n":1}\n{"n":2}\n');
  });

  test("a file that cannot be written rejects the append, and a symbolic link is not followed", async () => {
    const root = directory();
    writeFileSync(join(root, "file"), "");
    await expect(new JsonlWriter(join(root, "file", "a.jsonl")).append([{}])).rejects.toThrow();
    writeFileSync(join(root, "target"), "untouched");
    symlinkSync(join(root, "target"), join(root, "link.jsonl"));
    await expect(new JsonlWriter(join(root, "link.jsonl")).append([{}])).rejects.toThrow();
    expect(readFileSync(join(root, "target"), "utf8")).toBe("untouched");
  });
});

test("reading passes over torn, broken and foreign lines", () => {
  expect(parseJsonl('{"a":1}\n\nnot json\n[1]\n"x"\nnull\n{"b":2}\n{"c":')).toEqual([
    { a: 1 },
    [1],
    { b: 2 },
  ]);
});
