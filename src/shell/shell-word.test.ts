import { expect, test } from "vitest";
import { readShell } from "./read-shell.ts";
import type { ShellWord } from "./shell-word.ts";

/** The first argument of a command. */
function wordOf(text: string): ShellWord {
  const read = readShell(`x ${text}`);
  const word = read.readable ? read.shell.commands[0]?.words[1] : undefined;
  if (word === undefined) throw new Error(`${text} is no word`);
  return word;
}

test.each([
  ["a", "a"],
  ["'a b'", "a b"],
  ['"a b"', "a b"],
  ["a\\ b", "a b"],
  ["a'b'\"c\"\\d", "abcd"],
  ["$'a\\tb\\x41\\101\\u00e9'", "a\tbAAé"],
  ['"a\\$b\\"c\\d"', 'a$b"c\\d'],
  ["a\\\nb", "ab"],
  ["'*'", "*"],
  ["\\*", "*"],
  ["'~'", "~"],
  ["''", ""],
  ["a=b", "a=b"],
  ["{a}", "{a}"],
])("%j is the static word %j", (written, text) => {
  expect(wordOf(written)).toMatchObject({ isStatic: true, text, pieces: expect.any(Array) });
  expect(wordOf(written).pieces.join("")).toBe(text);
});

test.each([
  "$x",
  '"$x"',
  "${x}",
  "a$(b)",
  "`b`",
  "$((1))",
  "{a,b}",
  "{1..3}",
  '$"a"',
  "<(a)",
  "~root",
  "~+",
  "~-/x",
  "*",
  "a?",
  "[ab]",
])("what %s comes to is only known when it runs", (written) => {
  expect(wordOf(written).isStatic).toBe(false);
  expect(wordOf(written).pieces).toContain(null);
});

test.each([
  ["*", true],
  ["a/[bc]?", true],
  ["'a b'/*", true],
  ["$x/*", false],
  ["{a,b}*", false],
  ["a", false],
])("whether file names alone decide about %s: %s", (written, isGlob) => {
  expect(wordOf(written).isGlob).toBe(isGlob);
});

test.each([
  ["$x", true],
  ["$(a)", true],
  ["*", true],
  ["{a,b}", true],
  ['"$x"', false],
  ["a", false],
])("whether nothing or several words can come of %s: %s", (written, canSplit) => {
  expect(wordOf(written).canSplit).toBe(canSplit);
});

test.each([
  ["~", ""],
  ["~/a", "/a"],
  ["$HOME", ""],
  ["$HOME/a", "/a"],
  ['"${HOME}/a b"', "/a b"],
  ["~/*", "/*"],
  ["$HOMES/a", null],
  ["$HOME.a", null],
  ["'~/a'", null],
  ["a~", null],
  ["~/$x", null],
])("%s lies below the home directory at %j", (written, below) => {
  expect(wordOf(written).belowHome).toBe(below);
});

test.each([
  ["$D/", true],
  ['"$D"/*', true],
  ["${D}/.*", true],
  ["$D", false],
  ["$D/a", false],
  ["a/$D/*", false],
])("whether %s is all that lies under a variable: %s", (written, isUnderVariable) => {
  expect(wordOf(written).isUnderVariable).toBe(isUnderVariable);
});
