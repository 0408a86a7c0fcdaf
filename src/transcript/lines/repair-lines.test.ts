import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { JsonlWriter, readJsonl } from "./jsonl.ts";
import type { Repair } from "./repair-lines.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

function opened(): { path: string; writer: JsonlWriter; repairs: Repair[] } {
  const directory = temporaryDirectory();
  const path = join(directory, "a.jsonl");
  const repairs: Repair[] = [];
  const writer = new JsonlWriter(path, (repair) => repairs.push(repair));
  onTestFinished(() => writer.close());
  return { path, writer, repairs };
}

function line(n: number): string {
  return JSON.stringify({ n });
}

async function numbersIn(path: string): Promise<unknown[]> {
  return (await readJsonl(path)).map(({ n }) => n);
}

test("an append of which a crash left the first lines is cut off whole", async () => {
  const { path, writer, repairs } = opened();
  writer.append([line(1)]);
  writer.append([line(2), line(3), line(4)]);
  writer.close();
  const bytes = readFileSync(path);
  const cut = bytes.lastIndexOf("\n", bytes.length - 2) + 1;
  writeFileSync(path, bytes.subarray(0, cut));
  expect(await numbersIn(path)).toEqual([1]);
  writer.append([line(5)]);
  expect(await numbersIn(path)).toEqual([1, 5]);
  expect(readFileSync(path, "utf8")).not.toContain('{"n":2');
  expect(repairs).toEqual([
    { path, torn: cut - bytes.indexOf("\n") - 1, bad: [], keptIn: undefined },
  ]);
});

test("a bad line in the middle stays, is passed over, and is copied once however often the file is opened", async () => {
  const { path, writer, repairs } = opened();
  for (const n of [1, 2, 3]) writer.append([line(n)]);
  writer.close();
  const before = readFileSync(path, "utf8").replace('{"n":2', '{"n":7');
  writeFileSync(path, before);
  appendFileSync(path, Buffer.from([0xff, 0x0a]));
  for (const n of [4, 5]) {
    const another = new JsonlWriter(path, (repair) => repairs.push(repair));
    another.append([line(n)]);
    another.close();
  }
  expect(await numbersIn(path)).toEqual([1, 3, 4, 5]);
  expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
  const bad = [
    { line: 2, reason: "sum does not hold" },
    { line: 4, reason: "not JSON" },
  ];
  const keptIn = `${path}.bad`;
  expect(repairs).toEqual([
    { path, torn: 0, bad, keptIn },
    { path, torn: 0, bad, keptIn },
  ]);
  expect(await readJsonl(keptIn)).toMatchObject([
    { ...bad[0], offset: before.indexOf('{"n":7'), text: before.split("\n")[1] },
    { ...bad[1], base64: "/w==" },
  ]);
  expect(statSync(keptIn).mode & 0o777).toBe(0o600);
});

test("a last line that does not hold is cut off, and kept aside because a disk may have changed it", async () => {
  const { path, writer, repairs } = opened();
  const other = new JsonlWriter(path);
  for (const n of [1, 2]) other.append([line(n)]);
  other.close();
  writeFileSync(path, readFileSync(path, "utf8").replace('{"n":2', '{"n":7'));
  writer.append([line(3)]);
  expect(await numbersIn(path)).toEqual([1, 3]);
  expect(repairs).toMatchObject([{ bad: [], keptIn: `${path}.bad` }]);
  expect(await readJsonl(`${path}.bad`)).toMatchObject([{ line: 2, reason: "sum does not hold" }]);
});

test("a file that nobody else has touched is not read again when it is opened again", () => {
  const { path, writer, repairs } = opened();
  writer.append([line(1)]);
  writer.close();
  writeFileSync(path, readFileSync(path, "utf8").replace('{"n":1', '{"n":7'));
  writer.append([line(2)]);
  expect(repairs).toEqual([]);
  expect(existsSync(`${path}.bad`)).toBe(false);
});

test("what another process appended in between is checked from where this one last looked", async () => {
  const { path, writer, repairs } = opened();
  const other = new JsonlWriter(path);
  writer.append([line(1)]);
  other.append([line(2)]);
  writer.append([line(3)]);
  other.append([line(4), line(5)]);
  other.close();
  writer.close();
  appendFileSync(path, "bad\n");
  writer.append([line(6)]);
  expect(await numbersIn(path)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(repairs).toMatchObject([{ torn: 0, bad: [{ line: 6, reason: "not JSON" }] }]);
});
