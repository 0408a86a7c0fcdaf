import { expect, test } from "vitest";
import { literalWord, unknownWords } from "../../shell/shell-word.ts";
import { isReadOnlyGit } from "./read-only-git.ts";

function isReadOnly(words: string): boolean {
  return isReadOnlyGit(words.split(" ").map((word) => literalWord(word)));
}

test.each([
  "status",
  "status --porcelain=v2 --branch",
  "log --oneline -5 --stat",
  "diff --cached -- src",
  "diff --output-indicator-new=+",
  "show HEAD:file",
  "--no-pager log",
])("git %s only looks", (words) => {
  expect(isReadOnly(words)).toBe(true);
});

test.each([
  "push",
  "log --output=x",
  "log --outp=x",
  "diff -o x",
  "diff -pox",
  "diff --ext-diff",
  "diff --ext",
  "show --textconv",
  "diff --no-index a b",
  "diff --no-in a b",
  "log --show-signature",
  "log --format=%G?",
  "log --help",
  "-c core.pager=x log",
  "-C x status",
  "--git-dir=x status",
  "--exec-path=x status",
  "-p log",
  "status-x",
  "",
])("git %s may do more", (words) => {
  expect(isReadOnly(words)).toBe(false);
});

test("a word that is not known may be any option", () => {
  expect(isReadOnlyGit([literalWord("log"), unknownWords])).toBe(false);
});
