import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse, parseDocument } from "yaml";
import { fc } from "../../test/support/properties.ts";
import { packagePath } from "../contract/package-path.ts";
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
  "a:\n  b: c\n  d:\n    e: 1.2.3\nf: g",
  "a:",
  "a:\nb: c",
  'a: "b\\n\\"c\\""',
  "a: 'b''c'",
  "a:   b  ",
  'a:\n  - b\n  - "c, d"\ne: f',
  "a:\n- b\n- c\nd: e",
  "a: |\n  b\n   c\n\n  d\n\ne: f",
  "a: >-\n  b\n  c\nd: e",
  "a: x é – “y”, C#",
  "a: http://x/y",
  "a: []",
  'a: [b c, "d"]',
])("reads %j as YAML does, and needs no YAML for it", (head) => {
  const fields = readPlainFields(head);
  expect(fields).toBeDefined();
  expect(fields).toEqual(parse(head));
});

test.each([
  ["a colon in the text", "a: b: c"],
  ["a colon at its end", "a: b:"],
  ["a comment", "a: b # c"],
  ["a text on two lines", "a: b\n  c"],
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
  ["an alias", "a: *b"],
  ["a tab", "a: b\tc"],
  ["no blank after the colon", "a:b"],
  ["a blank before the key", " a: b"],
  ["a document's end", "a: b\n..."],
  ["a folded text with paragraphs", "a: >\n  b\n\n  c"],
  ["fields in a list", "a:\n  - b: c"],
  ["nothing", ""],
])("leaves %s to YAML", (_name, head) => {
  expect(readPlainFields(head)).toBeUndefined();
});

test("whatever it reads, YAML reads too, and the same", () => {
  const text = fc.stringMatching(/^[a-cT:#'"\\ \-[\],|>{}&*!é1.0~?@%]{0,12}$/);
  const word = fc.constantFrom(
    ...["a", "b c", "- a", "true", "Null", "|", ">", "|-", ">-", "[a, b]", "''", '"x"', "1", ""],
    ...["a: b", "c #d", "x:y", "1.0.0", "'it''s'", '"a\\n"'],
  );
  const value = fc.oneof({ weight: 1, arbitrary: text }, { weight: 4, arbitrary: word });
  const indent = fc.constantFrom("", "", "", "", "  ", "  ", " ", "    ");
  const kind = fc.constantFrom("key", "key", "key", "- ", "");
  const line = fc.tuple(indent, kind, fc.constantFrom(" ", " ", "", "  "), value);
  let read = 0;
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (parts) => {
      const lines = parts.map(([margin, start, blank, end], index) =>
        start === "key" ? `${margin}k${index}:${blank}${end}` : `${margin}${start}${end}`,
      );
      const head = `${lines.join("\n")}\n`;
      const fields = readPlainFields(head);
      if (fields === undefined) return;
      read += 1;
      const document = parseDocument(head, { logLevel: "silent" });
      expect(document.errors).toEqual([]);
      expect(fields).toEqual(document.toJS());
    }),
    { numRuns: 20_000 },
  );
  // Otherwise nothing was compared.
  expect(read).toBeGreaterThan(300);
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
