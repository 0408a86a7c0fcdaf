import { expect, test } from "vitest";
import { makeCountry, verdictOf, type Country } from "./support/verdict.ts";

const country = (): Country =>
  makeCountry({
    "project/README": "",
    "project/out": "-> outside/file",
    "project/x /": "",
    "project/x /tmp/": "",
    "project/inner/.git/config": "",
    "project/deep/a/b/.git/config": "",
    "project/dist/file": "",
    "project/node_modules/x/.git/config": "",
    "outside/file": "",
  });

test.each(["find . -xtype f", "find . -readable", "find . -executable", "find . -printf '%p %Y'"])(
  "%s tells what a link leads to, and is asked about",
  (command) => {
    expect(verdictOf(command, country())).toBe("ask");
  },
);

test.each(["find . -type f -printf '%p %y'", "find . -name x -ls"])("%s only looks", (command) => {
  expect(verdictOf(command, country())).toBe("allow");
});

test("$PWD is looked up where the directory has a name that bash would split", () => {
  expect(verdictOf("echo $PWD", country(), { at: "x " })).toBe("ask");
  expect(verdictOf('echo "$PWD"', country(), { at: "x " })).toBe("allow");
  expect(verdictOf("echo $PWD", country())).toBe("allow");
});

test.each(["rm -rf inner", "rm -r deep", "rm -rf -- inner"])(
  "%s would remove a repository of its own, and is asked about",
  (command) => {
    expect(verdictOf(command, country(), { mode: "acceptEdits" })).toBe("ask");
  },
);

test.each(["rm -rf dist", "rm -rf node_modules", "rm README"])(
  "%s is an accepted edit",
  (command) => {
    expect(verdictOf(command, country(), { mode: "acceptEdits" })).toBe("allow");
  },
);

test.each(["mv README x &", "(rm -r dist) &", "rmdir dist &2>/dev/null"])(
  "%s moves directories beside other commands, and is asked about",
  (command) => {
    expect(verdictOf(command, country(), { mode: "acceptEdits" })).toBe("ask");
  },
);
