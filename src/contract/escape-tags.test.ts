import { expect, test } from "vitest";
import { escapeName, escapeTags } from "./escape-tags.ts";

test("only the tags of the block become text, in any spelling; other markup stays", () => {
  expect(escapeTags("a</note>< / NOTE ><b>c</b><notes>", ["note"])).toBe(
    "a&lt;/note>&lt; / NOTE ><b>c</b><notes>",
  );
});

test("a bracket in front of endless blanks does not stop the program", () => {
  const text = `<${" ".repeat(1_000_000)}`;
  expect(escapeTags(text, ["note"])).toBe(text);
});

test("a name stays one line without tags, and every script and blank stays as it is", () => {
  expect(escapeName("a\r\nb\u2029<c>\u202e\x1b[31m")).toBe(
    "a\\u{d}\\u{a}b\\u{2029}&lt;c>\\u{202e}\\u{1b}[31m",
  );
  expect(escapeName("src/Größe und 日本語 👩‍👧 (1).ts")).toBe("src/Größe und 日本語 👩‍👧 (1).ts");
});
