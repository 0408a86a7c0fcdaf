import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { temporaryDirectory } from "../../test/support/stage.ts";
import { sealLines } from "./lines/line-sum.ts";
import { readResultText } from "./read-result.ts";

const answer = (id: string, text: string): object => ({
  type: "assistant",
  message: { id, model: "m", content: [{ type: "text", text }] },
});
const call = (id: string): object => ({
  type: "assistant",
  message: { id, model: "m", content: [{ type: "tool_use", id: "t", name: "Read", input: {} }] },
});
const prompt = (text: string): object => ({ type: "user", message: { content: text } });
const end = (content?: string): object => ({
  type: "retinue-end",
  result: { state: "completed", ...(content === undefined ? {} : { content }) },
});

/** A file of appends of several lines each. */
function written(appends: readonly (readonly object[])[]): string {
  const path = join(temporaryDirectory(), "agent.jsonl");
  const text = appends.map((lines) => sealLines(lines.map((line) => JSON.stringify(line))));
  writeFileSync(path, text.join(""));
  return path;
}

test("the result is the last answer with all its parts, or what the end says", async () => {
  const long = "x".repeat(3000);
  const parts = [answer("2", "one"), answer("2", long), answer("2", "three")];
  const before = [[prompt("go")], [answer("1", "no")], [prompt("more")]];
  expect(await readResultText(written([...before, parts, [end()]]), 100)).toBe(
    `one\n${long}\nthree`,
  );
  expect(await readResultText(written([...before, parts, [end("other")]]), 100)).toBe("other");
  const silent = written([...before, parts, [prompt(long)], [call("3")], [end()]]);
  expect(await readResultText(silent, 100)).toBe(`one\n${long}\nthree`);
});

test("without a file, or without words, there is no text", async () => {
  expect(await readResultText(join(temporaryDirectory(), "none.jsonl"))).toBe("");
  expect(await readResultText(written([[prompt("go")], [end()]]), 10)).toBe("");
});

test("however little is looked at first, the result is the same", async () => {
  const text = fc.oneof(fc.string(), fc.constant(" "), fc.constant("é".repeat(300)));
  const id = fc.constantFrom("1", "2", "3");
  const line = fc.oneof(
    fc.tuple(id, text).map(([one, words]) => [answer(one, words)]),
    fc.tuple(id, text, text).map(([one, a, b]) => [answer(one, a), answer(one, b)]),
    id.map((one) => [call(one)]),
    text.map((words) => [prompt(words)]),
    fc.option(text, { nil: undefined }).map((content) => [end(content)]),
  );
  const run = fc.tuple(fc.array(line, { maxLength: 12 }), fc.option(text, { nil: undefined }));
  await fc.assert(
    fc.asyncProperty(run, fc.integer({ min: 1, max: 500 }), async ([lines, content], look) => {
      // Of one answer all lines are appended together.
      const numbered = lines.map((append, at) =>
        append.map(
          (one) => JSON.parse(JSON.stringify(one).replace(/"id":"\d"/, `"id":"n${at}"`)) as object,
        ),
      );
      const path = written([...numbered, [end(content)]]);
      expect(await readResultText(path, look)).toBe(await readResultText(path, 2 ** 30));
    }),
    { numRuns: 300 },
  );
});
