import { expect, test } from "vitest";
import { literal, literalLine } from "./literal.ts";

test.each([
  ["an escape sequence", "echo \x1b[2K\x1b[1Gls", "echo \\x1b[2K\\x1b[1Gls"],
  ["a title that never ends", "a\x1b]0;b", "a\\x1b]0;b"],
  ["a carriage return that paints over", "rm -rf x\rls", "rm -rf x\\rls"],
  ["a reversed direction", "a\u202ecba", "a\\u{202e}cba"],
  ["an invisible letter", "rm\u3164x\u200by", "rm\\u{3164}x\\u{200b}y"],
  ["a blank that is none", "rm\u00a0x", "rm\\xa0x"],
  ["tags", "a\u{e0041}", "a\\u{e0041}"],
])("%s is spelled out", (_, text, shown) => {
  expect(literal(text)).toBe(shown);
});

test("words, lines and blanks stay as they are", () => {
  const text = "für i in 1 2; do\n\techo 'é' 日本 \\x1b\ndone";
  expect(literal(text)).toBe(text);
});

test("in one line, the ends of lines are visible", () => {
  expect(literalLine("echo a\nrm\tb")).toBe("echo a\\nrm\\tb");
  expect(literalLine("x".repeat(5000))).toHaveLength(300);
});
