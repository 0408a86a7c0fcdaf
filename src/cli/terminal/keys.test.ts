import { expect, test } from "vitest";
import { editLine, keysOf, type Key } from "./keys.ts";

test.each<[string, Key[]]>([
  ["y", ["y"]],
  ["\x1b[A\x1b[B", ["up", "down"]],
  ["\x1b", ["escape"]],
  ["\x1b[1;5C\x1b[200~a", ["a"]],
  ["\x03", ["ctrl-c"]],
  ["é👍\r\x7f", ["é", "👍", "enter", "backspace"]],
  ["\x00\x07\x9b", []],
])("%j is %j", (chunk, keys) => {
  expect(keysOf(chunk)).toEqual(keys);
});

test("a line is typed, corrected, sent and given up", () => {
  const text = ["n", "o", "👍", "backspace", "up", "!"].reduce((before, key) => {
    const edited = editLine(before, key);
    return typeof edited === "string" ? edited : edited.text;
  }, "");
  expect(text).toBe("no!");
  expect(editLine(text, "ctrl-u")).toEqual({ text: "" });
  expect(editLine(text, "enter")).toBe("submit");
  expect(editLine(text, "escape")).toBe("cancel");
});
