import { expect, test } from "vitest";
import { literalWord, unknownWords } from "../../shell/shell-word.ts";
import { gitLooks } from "./git.ts";

const sight = {
  isInside: () => true,
  entriesInside: () => true,
  mayFind: () => false,
  changesDirectory: false,
  distrustsGit: false,
};

function isReadOnly(words: string): boolean {
  return gitLooks(
    words.split(" ").map((word) => literalWord(word)),
    sight,
  );
}

test.each([
  "status",
  "status --porcelain=v2 --branch",
  "log --oneline -5 --stat",
  "diff --cached -- src",
  "show HEAD:file",
  "--no-pager log",
  "worktree list",
  "merge-base main HEAD",
  "merge-base --is-ancestor main HEAD",
  "rev-list --count main..HEAD",
  "show-ref --heads",
  "grep -n foo -- src",
  "grep -e foo --and -e bar",
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
  "worktree add x",
  "grep -O foo",
  "grep -nO foo",
  "grep --open-files-in-pager foo",
  "grep --open foo",
  "grep --no-index foo",
  "grep --untracked foo",
  "grep --recurse-submodules foo",
  "grep --textconv foo",
  "grep -f x",
  "rev-list --use-bitmap-index HEAD",
  "show-ref --exclude-existing",
  "status-x",
  "",
])("git %s may do more", (words) => {
  expect(isReadOnly(words)).toBe(false);
});

test("a word that is not known may be any option", () => {
  expect(gitLooks([literalWord("log"), unknownWords], sight)).toBe(false);
});

test("git needs approval in a folder that is not trusted, and after a change of directory", () => {
  const words = [literalWord("status")];
  expect(gitLooks(words, sight)).toBe(true);
  expect(gitLooks(words, { ...sight, distrustsGit: true })).toBe(false);
  expect(gitLooks(words, { ...sight, changesDirectory: true })).toBe(false);
});
