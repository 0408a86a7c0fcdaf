import { expect, test } from "vitest";
import { makeCountry, verdictOf } from "./support/verdict.ts";

// Programs that the next `npx`, shell or editor starts by itself must not be put there without a person's word.

const files = {
  "project/evil": "#!/bin/sh",
  "project/tree/node_modules/.bin/bash": "#!/bin/sh",
  "project/bins/bash": "#!/bin/sh",
  "project/node_modules/.bin/vitest": "",
};

test.each([
  "cp evil node_modules/.bin/bash",
  "cp -r bins node_modules/.bin",
  "mv bins node_modules/.bin",
  "cp -r tree/node_modules packages",
  "cp -r tree/. .",
  "touch .tool-versions",
  "echo x > mise.toml",
  "sed -i s/a/b/ .emacs",
  "mkdir -p .config/fish",
])("acceptEdits does not cover putting a program in the way: %s", (command) => {
  expect(verdictOf(command, makeCountry(files), { mode: "acceptEdits" })).toBe("ask");
  const rules = ["allow Bash(cp *)", "allow Bash(mv *)", "allow Edit"];
  expect(verdictOf(command, makeCountry(files), { mode: "acceptEdits", rules })).toBe("ask");
});

test.each([
  ["node_modules/.bin/vitest run", "allow Bash(node_modules/.bin/vitest *)"],
  ["node --test node_modules/.bin/vitest", "allow Bash(node *)"],
  ["npm ci", "allow Bash(npm *)"],
  ["ls node_modules/.bin", "allow Bash(true)"],
  ["cat .tool-versions", "allow Bash(true)"],
])("what is there already runs and is read as before: %s", (command, rule) => {
  expect(verdictOf(command, makeCountry(files), { rules: [rule] })).toBe("allow");
});

test.each(["cp evil node_modules/other", "mkdir -p node_modules/a"])(
  "acceptEdits still covers %s",
  (command) => {
    expect(verdictOf(command, makeCountry(files), { mode: "acceptEdits" })).toBe("allow");
  },
);
