import { expect, test } from "vitest";
import { readShell } from "./read-shell.ts";

test.each([
  ["an open quote", "echo 'a"],
  ["an open substitution", "echo $(a"],
  ["an open group", "{ a"],
  ["a loop without an end", "while a; do b"],
  ["an error inside a substitution", "echo $(if)"],
  ["a redirection to nothing", "echo >"],
  ["nothing before a pipe", "| a"],
])("%s is unreadable", (_, command) => {
  const read = readShell(command);
  expect(read.readable).toBe(false);
  expect(!read.readable && read.why).toMatch(/^it cannot be read as bash \(.+\)$/);
});

test.each([
  ["longer than 10000 characters", `echo ${"a".repeat(10_000)}`],
  ["characters that bash cannot be given", "echo a\0b"],
  ["characters that bash cannot be given", "echo \uD800"],
  ["nested too deeply", `echo ${"{a,".repeat(65)}`],
  ["nested too deeply", `${"(".repeat(65)}a${")".repeat(65)}`],
])("a command is unreadable because it has or is %s", (why, command) => {
  const read = readShell(command);
  expect(!read.readable && read.why).toContain(why);
});

test("the longest and deepest commands that may be read are read", () => {
  expect(readShell(`echo ${"a".repeat(9995)}`).readable).toBe(true);
  expect(readShell(`${"(".repeat(64)}a${")".repeat(64)}`).readable).toBe(true);
});
