import { expect, test } from "vitest";
import { literalWord, unknownWords } from "../shell/shell-word.ts";
import { commandPattern, matchesCommand, mayMatchCommand } from "./pattern.ts";

test.each([
  ["a b", "a b", true],
  ["a b", "a b c", false],
  ["a *", "a", true],
  ["a *", "a b", true],
  ["a *", "ab", false],
  ["a:*", "a b", true],
  ["a:*", "ab", false],
  ["a*", "ab c", true],
  ["* b", "a c b", true],
  ["a * b *", "a x b", true],
  ["a * b *", "a x bc", false],
  ["a * b *", "a x bc b d", true],
  [": *", ": x", true],
  ["A *", "a b", false],
  ["a.c", "abc", false],
])("%j fits %j: %s", (specifier, text, fits) => {
  expect(matchesCommand(commandPattern(specifier), text)).toBe(fits);
});

test.each([
  ["a *", "a …", true],
  ["a b", "a …", true],
  ["a b *", "a …", true],
  ["b *", "a …", false],
  ["a", "a …", true],
  ["a * z", "a …", true],
  ["a x *", "… y", true],
  ["a b c", "a x …", false],
])("%j may fit %j: %s", (specifier, text, may) => {
  const words = text.split(" ").map((one) => (one === "…" ? unknownWords : literalWord(one)));
  expect(mayMatchCommand(commandPattern(specifier), words)).toBe(may);
});
