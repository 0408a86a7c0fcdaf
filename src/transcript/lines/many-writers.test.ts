import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readJsonl } from "./jsonl.ts";
import { judgeLines } from "./judge-lines.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

const processes = 4;
const appends = 1500;

/** Appends one, two or three lines at a time, some of many pages, and opens the file again every 50 times. */
const program = `
import { JsonlWriter } from ${JSON.stringify(new URL("./jsonl.ts", import.meta.url).href)};
const [who, ...paths] = process.argv.slice(1);
const writers = paths.map((path) => new JsonlWriter(path));
for (let turn = 0; turn < ${appends}; turn += 1) {
  for (const writer of writers) {
    const text = "x".repeat(turn % 40 === 0 ? 100_000 : turn % 300);
    const lines = Array.from({ length: 1 + (turn % 3) }, (_, part) => ({ who, turn, part, text }));
    writer.append(lines.map((line) => JSON.stringify(line)));
    if (turn % 50 === 0) writer.close();
  }
}
`;

test("processes that write to one file and to files of their own lose and break nothing", async () => {
  const directory = temporaryDirectory();
  const shared = join(directory, "shared.jsonl");
  const own = (who: string): string => join(directory, `${who}.jsonl`);
  const names = Array.from({ length: processes }, (_, index) => `p${index}`);
  await Promise.all(
    names.map((who) =>
      promisify(execFile)(process.execPath, [
        "--input-type=module",
        "-e",
        program,
        who,
        shared,
        own(who),
      ]),
    ),
  );
  const expected = Array.from({ length: appends }, (_, turn) =>
    Array.from({ length: 1 + (turn % 3) }, (_, part) => `${turn}.${part}`),
  ).flat();
  for (const who of names) {
    for (const path of [shared, own(who)]) {
      const lines = (await readJsonl(path)).filter((line) => line["who"] === who);
      expect(lines.map(({ turn, part }) => `${String(turn)}.${String(part)}`)).toEqual(expected);
    }
  }
  const bytes = readFileSync(shared);
  expect(judgeLines(bytes)).toMatchObject({
    lines: expected.length * processes,
    bad: [],
    end: bytes.length,
  });
});
