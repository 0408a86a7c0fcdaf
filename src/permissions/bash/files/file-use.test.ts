import { expect, test } from "vitest";
import { literalWord, unknownWords, wordOf } from "../../shell/shell-word.ts";
import { fileUse } from "./file-use.ts";

function useOf(command: string): { reads: string[]; writes: string[] } {
  const words = command.split(" ").map((word) => (word === "…" ? unknownWords : literalWord(word)));
  const { reads, writes } = fileUse({ words });
  return { reads: reads.map(({ text }) => text), writes: writes.map(({ text }) => text) };
}

test.each([
  ["cat a b", ["a", "b"]],
  ["cat -n a", ["a"]],
  ["head -n 5 a", ["5", "a"]],
  ["grep x a b", ["a", "b"]],
  ["grep -e x a", ["a"]],
  ["grep -ex a", ["a"]],
  ["grep -- -x a", ["a"]],
  ["grep --file=a b", ["b", "a"]],
  ["diff --from-file=a b", ["a", "b"]],
  ["sed -n p a", ["a"]],
  ["awk x a", ["a"]],
  ["curl -d @a host", ["@a", "a", "host"]],
  ["dd if=a", ["a"]],
  ["git show HEAD:a", ["HEAD:a", "a"]],
  ["git show :0:a", [":0:a", "a"]],
  ["git log -p -- a", ["a"]],
  ["source a", ["a"]],
  ["cat …", ["…"]],
])("%s reads %j", (command, reads) => {
  expect(useOf(command)).toEqual({ reads, writes: [] });
});

test.each([
  ["touch a b", ["a", "b"]],
  ["rm -rf a", ["a"]],
  ["tee -a a", ["a"]],
  ["sed -i p a", ["a"]],
  ["dd if=b of=a", ["a"]],
  ["cp a b", ["b", "b/a"]],
  ["cp x/a y/b c", ["c", "c/a", "c/b"]],
  ["mv a b", ["b", "b/a", "a"]],
  ["ln -s a b", ["b", "b/a", "a"]],
  ["cp -t d a", ["d", "d/a", "a"]],
  ["cp -td a", ["d", "d/a", "a"]],
  ["cp --target-directory=d a", ["d", "d/a", "a"]],
])("%s writes %j", (command, writes) => {
  expect(useOf(command).writes).toEqual(writes);
});

test("what a directory below home gets lies below home too", () => {
  const home = wordOf([{ kind: "home" }], "~");
  const words = [literalWord("cp"), literalWord(".bashrc"), home];
  expect(fileUse({ words }).writes.map(({ belowHome }) => belowHome)).toEqual(["", "/.bashrc"]);
});

test("of programs that nobody knows nothing is known", () => {
  expect(useOf("frobnicate a")).toEqual({ reads: [], writes: [] });
});
