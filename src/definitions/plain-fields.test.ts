import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { packagePath } from "../package-path.ts";
import { readPlainFields } from "./plain-fields.ts";

test.each([
  "name: a",
  "name: reviewer\ndescription: Reviews code, e.g. a diff (yours); says what's wrong - and why!",
  "name: a\n\nmodel: sonnet\n",
  'description: "Use it: always. # not a comment"',
  'a: ""',
  "tools: Read, Grep, Bash(git diff *)",
  "tools: [Read, Grep]",
  "maxTurns: 30\nbackground: true\noneShot: false",
  "a: [true, b]\nb: nullable\nc: Trueish",
  "a_b-c: x\\y {z} [w] *v &u | t > s % r @ q ` p",
  "a: No\nb: yes\nc: off\nd: on",
])("reads %j as YAML does", (head) => {
  const fields = readPlainFields(head);
  if (fields !== undefined) expect(fields).toEqual(parse(head));
  else expect(head).toContain("true, b");
});

test.each([
  ["a colon in the text", "a: b: c"],
  ["a colon at its end", "a: b:"],
  ["a comment", "a: b # c"],
  ["a text on two lines", "a: b\n  c"],
  ["a nested field", "a:\n  b: c"],
  ["an empty field", "a:"],
  ["a key twice", "a: b\na: c"],
  ["null", "a: null"],
  ["null as a key", "null: a"],
  ["True as a key", "True: a"],
  ["an endless key", `${"a".repeat(2000)}: b`],
  ["Null", "a: Null"],
  ["True", "a: True"],
  ["TRUE in a list", "a: [TRUE]"],
  ["an octal number", "a: 010"],
  ["a float", "a: 1.5"],
  ["a huge number", "a: 12345678901234567890"],
  ["an escape", 'a: "b\\n"'],
  ["single quotes", "a: 'b'"],
  ["an alias", "a: *b"],
  ["a block text", "a: |\n  b"],
  ["a tab", "a: b\tc"],
  ["two blanks after the colon", "a:  b"],
  ["no blank after the colon", "a:b"],
  ["a blank before the key", " a: b"],
  ["a letter beyond ASCII", "a: é"],
  ["a document's end", "a: b\n..."],
  ["nothing", ""],
])("leaves %s to YAML", (_name, head) => {
  expect(readPlainFields(head)).toBeUndefined();
});

test("a blank after the value is not part of it, which YAML knows", () => {
  expect(readPlainFields("a: b ")).toBeUndefined();
});

test("our own agents need no YAML, so that a start does not load it", () => {
  const files = [...globSync("agents/*.md", { cwd: packagePath(".") }), "prompts/main.md"].map(
    (file) => readFileSync(packagePath(file), "utf8"),
  );
  expect(files.length).toBeGreaterThan(8);
  for (const text of files) {
    const head = text.slice(4, text.indexOf("\n---", 4));
    expect(readPlainFields(head)).toEqual(parse(head));
  }
});
