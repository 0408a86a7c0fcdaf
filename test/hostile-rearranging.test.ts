import { expect, test } from "vitest";
import { decisionOf, makeCountry, verdictOf, type Country } from "./support/verdict.ts";

// Lines in acceptEdits in which one part changes the tree, and another one uses paths that were looked up before.

const country = (): Country =>
  makeCountry({
    "project/README": "r\n",
    "project/run.sh": "",
    "project/a.ts": "",
    "project/x.ts": "",
    "project/kept.txt": "k\n",
    "project/.env": "k\n",
    "project/src/old.ts": "",
    "project/src/b.ts": "",
    "project/dist/x": "",
    "project/deep/a/b/file": "",
    "project/deep/.env": "",
    "project/deep/.bin/": "",
    "project/y/": "",
    "project/sub/l": "-> home/.bashrc",
    "project/sub2/f": "",
    "project/h/k": "-> ../deep/a/b",
    "project/d1/l": "-> ../h/k/../../../README",
    "project/d2/l": "",
    "project/e1/l": "",
    "project/node_modules/foo/": "",
    "home/.bashrc": "",
    "outside/secret": "s\n",
  });

const inProject = (command: string, { project }: Country): string =>
  command.replaceAll("PROJECT", project);

test.each([
  ["cd b; mv PROJECT/deep/a/b PROJECT/b2; cat ../../README", "deep/a"],
  ["cd b; mv PROJECT/deep/a/b PROJECT/b2; echo evil > ../x", "deep/a"],
  ["cd b; mv PROJECT/deep PROJECT/b2; cat file", "deep/a"],
  ["cd b; mv PROJECT/deep/a/b PROJECT/node_modules/b2; echo evil > ../.bin/tsc", "deep/a"],
  ["cd deep/a/b; mv PROJECT/deep/a/b PROJECT/new; echo evil > .bin/tsc", ""],
  ["mkdir -p q/b; cd q/b; mv PROJECT/q PROJECT/r; cat ../../README", ""],
  ["mv y q; cd q; mv PROJECT/q PROJECT/src/q; echo x > ../b.ts", ""],
  ["pushd deep/a; mv -t PROJECT/y PROJECT/deep/a; cat ../README", ""],
  ["(cd deep/a/b; sleep 1; cat ../file) | mv deep y", ""],
  ["mv -t PROJECT/y PROJECT/deep/a/b; cat ../../../README", "deep/a/b"],
  ["mv --target-directory=PROJECT/y PROJECT/deep/a/b; echo evil > ../../.bin/tsc", "deep/a/b"],
])("a directory in which a part of the line runs is not moved unasked: %s", (command, at) => {
  const place = country();
  const line = inProject(command, place);
  expect(verdictOf(line, place, { mode: "acceptEdits", at })).toBe("ask");
  // Rules for the parts that move say nothing about where the others look.
  const rules = ["allow Bash(mv *)", "allow Bash(npm test *)"];
  expect(verdictOf(line, place, { mode: "acceptEdits", at, rules })).toBe("ask");
  const mixed = `npm test; ${line}`;
  expect(verdictOf(mixed, place, { mode: "acceptEdits", at, rules })).toBe("ask");
});

test("a denied file is not reached from a directory that the line moves", () => {
  const place = country();
  const line = inProject("cd b; mv PROJECT/deep/a/b PROJECT/b2; cat ../.env", place);
  const rules = ["allow Bash", "deny Read(./.env)"];
  expect(verdictOf(line, place, { at: "deep/a", rules })).toBe("ask");
});

test.each([
  "mv -t y ~",
  "mv -t PROJECT/y PROJECT",
  "mv --target-directory=/tmp/zz PROJECT",
  "mv -ft /tmp/zz ~",
  "mv -S -t PROJECT /tmp/zz",
  "mv -- -t PROJECT /tmp/zz",
])("the target of mv hides no critical source: %s", (command) => {
  const place = country();
  const mode = "bypassPermissions";
  expect(verdictOf(inProject(command, place), place, { mode })).toBe("ask");
  expect(verdictOf("mv -t . src/old.ts", place, { mode })).toBe("allow");
});

test.each([
  "mkdir -p x; echo evil > x/l; cp -r x/. sub/",
  "mkdir -p x/sub; echo evil > x/sub/l; cp -r x/sub .",
  "echo evil > sub2/l; cp -r sub2/. sub/",
  "mv README sub2/l; cp -r sub2/. sub/",
  "cp README sub2/l; mv sub2 q; cp -r q/. sub/",
  "cp -r q/. sub/; mv sub2 q; cp README sub2/l",
  "touch sub2/l; cp -a sub2/. sub",
  "mkdir -p x/.bin; cp -p run.sh x/.bin/tsc; echo evil >> x/.bin/tsc; mv x node_modules",
  "rm -rf node_modules; mkdir -p x/.bin; cp -p run.sh x/.bin/tsc; mv x node_modules",
  "mkdir -p x/.bin; touch x/.bin/tsc; cp -r x/. node_modules/",
  "mkdir -p x/y/.bin; mv x/y q; mv q node_modules/r; mv node_modules/r node_modules2/node_modules",
  "for f in a b; do cp -r q/. sub/; cp -r x/. q; echo evil > x/l; done",
])("a copy brings along what the line has put into its source: %s", (command) => {
  expect(verdictOf(command, country(), { mode: "acceptEdits" })).toBe("ask");
});

test("a rule that denies editing holds for what the line has put into the source of a copy", () => {
  const rules = ["deny Edit(./kept.txt)"];
  const command = "mkdir -p x; echo evil > x/kept.txt; cp -r x/. .";
  for (const mode of ["acceptEdits", "bypassPermissions"] as const)
    expect(verdictOf(command, country(), { mode, rules })).toBe("deny");
});

test.each([
  "rm -r h; mkdir -p x/k; mv x h; diff d1 d2",
  "rm -r h; mkdir -p h/k; diff d2 d1",
  "rm -r h; mkdir -p h/k; cat h/k/../../../README",
  "rm -r h; mkdir -p h/k; cd h/k/../..; cat x",
  "rm -r h; mkdir -p h/k; echo x > h/k/../f",
])("no link is followed that the line may have turned: %s", (command) => {
  expect(verdictOf(command, country(), { mode: "acceptEdits" })).toBe("ask");
  const rules = ["allow Bash(npm test *)"];
  expect(verdictOf(`npm test; ${command}`, country(), { mode: "acceptEdits", rules })).toBe("ask");
});

test.each([
  ["mkdir -p q/b && mv x.ts q/b/", true],
  ["rm -rf dist && mkdir dist", true],
  ["cp a.ts b.ts && rm a.ts", false],
  ["mkdir -p out && cp -r src/. out/", true],
  ["mv a.ts b.ts; ls", true],
  ["cd src && rm old.ts", false],
  ["cd src && mv old.ts new.ts", true],
  ["cd deep && rm -rf a", true],
  ["cd deep && mv a c && ls c", true],
  ["cp -r src lib && rm -rf src", true],
  ["mv y q && mv q r", true],
  ["mkdir -p x && echo 1 > x/f && cp -r x/. out/", true],
  ["echo x > a.tmp && mv a.tmp a.ts", true],
  ["mv -t y a.ts x.ts", true],
  ["cp -r -t y src", true],
  ["cp a.ts b.ts && diff a.ts b.ts", false],
  ["cp -r d2 d3 && diff d2 d3", true],
  ["mv src/b.ts . && cat ./b.ts", true],
])("the edit %s stays free of questions, alone with the tree: %s", (command, moves) => {
  const place = country();
  const input = { command };
  const decision = decisionOf({ tool: "Bash", input }, place, { mode: "acceptEdits" });
  expect(decision).toMatchObject({ verdict: "allow", tree: { moves } });
});
