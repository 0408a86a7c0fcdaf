import { expect, test } from "vitest";
import { makeCountry, verdictOf, type Country } from "../../../test/support/verdict.ts";

const country = (): Country =>
  makeCountry({
    "project/sub/": "",
    "project/secrets/key": "K",
    "project/.git/hooks/": "",
  });

test.each([
  "cd sub && git status",
  "command cd sub && git status",
  "builtin cd sub && git status",
  "command -- cd sub && git status",
  "command -p cd sub && git log",
  "command command cd sub; git diff",
  "time -p builtin cd sub && git log",
  "pushd sub; git status",
  "env -C sub git status",
  "git -C sub status",
])("%s is asked about: git acts on what is in another directory", (command) => {
  expect(verdictOf(command, country())).toBe("ask");
});

test.each([
  "cd secrets && cat key",
  "command -p cd secrets && cat key",
  "command -- cd secrets; cat key",
  "builtin -- cd secrets && cat key",
  "command -p pushd secrets && cat key",
  "cd -P secrets && cat key",
  "env -C secrets cat key",
  "env --chdir=secrets cat key",
  "sudo -D secrets cat key",
])("%s is denied by a rule for what is in there", (command) => {
  const rules = ["deny Read(secrets/**)", "allow Bash"];
  expect(verdictOf(command, country(), { rules })).toBe("deny");
});

test.each([
  "command -p cd .git/hooks && echo x > pre-commit",
  "command -- cd .git && echo x >> config",
  "builtin cd .git; touch config",
])("%s writes to a protected path", (command) => {
  expect(verdictOf(command, country(), { mode: "acceptEdits" })).toBe("ask");
});

test.each([
  "command -p cd / && rm -rf etc",
  "command -p cd / && rm -rf *",
  "builtin -- cd / && rm -rf etc",
  "env -C / rm -rf etc",
])("%s removes what is critical, in every mode", (command) => {
  expect(verdictOf(command, country(), { mode: "bypassPermissions" })).toBe("ask");
});

test.each(["export HOME=x", "read HOME", "printf -v HOME x", "declare HOME=x", "mapfile HOME"])(
  "after %s nobody can tell where ~ leads",
  (setter) => {
    const rules = ["deny Read(~/.vault/**)", "allow Bash"];
    expect(verdictOf(`${setter}; cat ~/key`, country(), { rules })).toBe("ask");
    expect(verdictOf("echo x; cat ~/key", country(), { rules })).toBe("allow");
  },
);

test("what stays in the directory is no change", () => {
  expect(verdictOf("cd . && git status", country())).toBe("allow");
  expect(verdictOf("cd sub && ls", country())).toBe("allow");
});
