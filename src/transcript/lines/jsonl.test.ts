import { appendFileSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JsonlWriter, parseJsonl, readJsonl } from "./jsonl.ts";
import { sealLines } from "./line-sum.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

/** The lines of one append. */
function sealed(values: readonly object[]): string[] {
  const text = sealLines(values.map((value) => JSON.stringify(value)));
  return text.match(/.*\n/g) ?? [];
}

describe("JsonlWriter", () => {
  test("what it acknowledged is in the file, in order, and the file is private", async () => {
    const path = join(temporaryDirectory(), "deep", "a.jsonl");
    const writer = new JsonlWriter(path);
    for (let n = 0; n < 200; n += 1) writer.append([JSON.stringify({ n })]);
    expect(readFileSync(path, "utf8")).toMatch(/^\{"n":0,"retinueSum":"1\/1 [0-9a-f]{8}"\}\n/);
    expect(await readJsonl(path)).toMatchObject(Array.from({ length: 200 }, (_, n) => ({ n })));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writer.close();
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
    const path = join(temporaryDirectory(), "a.jsonl");
    writeFileSync(path, before);
    const writer = new JsonlWriter(path);
    writer.append([JSON.stringify({ n: 9 })]);
    writer.close();
    const [last] = sealed([{ n: 9 }]);
    expect(readFileSync(path, "utf8")).toBe(`${kept}${last}`);
  });

  test("opens again after it was closed, and repairs again", async () => {
    const path = join(temporaryDirectory(), "a.jsonl");
    const writer = new JsonlWriter(path);
    writer.append([JSON.stringify({ n: 1 })]);
    writer.close();
    appendFileSync(path, "torn");
    writer.append([JSON.stringify({ n: 2 })]);
    writer.close();
    expect(readFileSync(path, "utf8")).toBe([sealed([{ n: 1 }]), sealed([{ n: 2 }])].join(""));
  });

  test("what is told of a repair may append elsewhere, whatever is being appended here", async () => {
    const [path, elsewhere] = [
      join(temporaryDirectory(), "a.jsonl"),
      join(temporaryDirectory(), "b.jsonl"),
    ];
    writeFileSync(path, '{"n":');
    const other = new JsonlWriter(elsewhere);
    const writer = new JsonlWriter(path, () => other.append(['{"a":"repair"}']));
    const values = [{ text: "first \u{1F600}" }, {}, { text: "é".repeat(40_000) }];
    for (const value of values) writer.append([JSON.stringify(value)]);
    expect(readFileSync(path, "utf8")).toBe(values.map((value) => sealed([value])).join(""));
    expect(await readJsonl(path)).toMatchObject(values);
    expect(await readJsonl(elsewhere)).toHaveLength(1);
    for (const one of [writer, other]) one.close();
  });

  test("a file that cannot be written rejects the append, and a symbolic link is not followed", async () => {
    const root = temporaryDirectory();
    writeFileSync(join(root, "file"), "");
    expect(() =>
      new JsonlWriter(join(root, "file", "a.jsonl")).append([JSON.stringify({})]),
    ).toThrow();
    writeFileSync(join(root, "target"), "untouched");
    symlinkSync(join(root, "target"), join(root, "link.jsonl"));
    expect(() => new JsonlWriter(join(root, "link.jsonl")).append([JSON.stringify({})])).toThrow();
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
