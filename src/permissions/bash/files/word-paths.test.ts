import { join } from "node:path";
import { expect, test } from "vitest";
import { makeCountry, type Country } from "../../../../test/support/verdict.ts";
import { readShell } from "../../shell/grammar.ts";
import { realGround } from "../../ground.ts";
import { reachOf } from "../evaluated.ts";
import { wordPaths } from "./word-paths.ts";

/** The paths of the last word of a command, relative to the country. */
function pathsIn(command: string, country: Country, at = ""): string[] | null {
  const read = readShell(command);
  if (!read.readable) throw new Error(read.opaque.what);
  const ground = realGround(join(country.project, at), country.home);
  const word = read.shell.commands.at(-1)?.words.at(-1);
  if (word === undefined) throw new Error("no word");
  const root = join(country.project, "..");
  const context = { ...reachOf(command), repeats: read.shell.repeats };
  return wordPaths(context, ground)(word)?.map((path) => path.replace(`${root}/`, "")) ?? null;
}

const entries = {
  "project/a/b/": "",
  "project/d/": "",
  "project/x1": "",
  "project/x2": "",
  "project/.hidden": "",
  "project/link": "-> outside/deep",
  "project/a/b/short": "-> project/d",
  "outside/deep/": "",
};

test.each([
  ["cat x1", ["project/x1"]],
  ["cat ./a//b/", ["project/a/b"]],
  ["cat 'x*'", ["project/x*"]],
  ["cat ~/f", ["home/f"]],
  ["cat $HOME/f", ["home/f"]],
  ["cat x*", ["project/x1", "project/x2", "project/x*"]],
  ["cat .h*", ["project/.hidden", "project/.h*"]],
  // Bash and programs read `..` after a link differently.
  ["cat link/../f", ["project/f", "outside/f"]],
  ["cat a/b/short/../../f", ["project/a/f", "f"]],
  ["cd a; cat f", ["project/f", "project/a/f"]],
  ["cd a && cd b; cat f", ["project/f", "project/a/f", "project/b/f", "project/a/b/f"]],
  ["builtin cd a; cat f", ["project/f", "project/a/f"]],
  ["cd ~; cat f", ["project/f", "home/f"]],
])("the word in %s stands for %j", (command, paths) => {
  expect(pathsIn(command, makeCountry(entries))).toEqual(paths);
});

test.each([
  "cat $x",
  "cat */../f",
  "cd $x; cat f",
  "cd; cat f",
  "cd -; cat f",
  "popd; cat f",
  "HOME=x; cat ~/f",
  "for i in 1 2; do cd ..; done; cat f",
  "while :; do cd a; done; cat f",
])("nobody can tell what the word in %s stands for", (command) => {
  expect(pathsIn(command, makeCountry(entries), "a/b")).toBeNull();
});

test("a pattern that would list too much is not followed", () => {
  const names = Array.from({ length: 100 }, (_, index) => [`project/many/${index}/f`, ""] as const);
  const country = makeCountry(Object.fromEntries(names));
  expect(pathsIn("cat many/*", country)).toHaveLength(101);
  expect(pathsIn("cat many/*/*", country)).toBeNull();
});
