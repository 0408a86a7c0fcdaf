import { expect, test } from "vitest";
import { parseFrontmatter } from "./frontmatter.ts";

test.each([
  ["plain", "---\nname: a\ndescription: b\n---\nBody", { name: "a", description: "b" }],
  ["CRLF", "---\r\nname: a\r\ndescription: b\r\n---\r\nBody", { name: "a", description: "b" }],
  [
    "an unquoted colon",
    "---\nname: a\ndescription: Use it. Examples: <example> Context: x\n---\nBody",
    { name: "a", description: "Use it. Examples: <example> Context: x" },
  ],
  [
    "a bare star",
    "---\nname: a\ndescription: b\ntools: *\n---\nBody",
    { name: "a", description: "b", tools: "*" },
  ],
  [
    "a key twice",
    "---\nname: a\nname: b\ndescription: c\n---\nBody",
    { name: "b", description: "c" },
  ],
  [
    "tabs before list items",
    "---\nname: a\ndescription: b\ntools:\n\t- Read\n\t- Bash\n---\nBody",
    { name: "a", description: "b", tools: ["Read", "Bash"] },
  ],
  [
    "dashes inside a value",
    "---\nname: a\ndescription: this --- that\ntools: Read\n---\nBody",
    { name: "a", description: "this --- that", tools: "Read" },
  ],
  [
    "a longer closing line",
    "---\nname: a\ndescription: b\n--------\nBody",
    { name: "a", description: "b" },
  ],
  ["no newline at the end", "---\nname: a\ndescription: b\n---", { name: "a", description: "b" }],
])("reads frontmatter with %s", async (_name, text, fields) => {
  const parsed = await parseFrontmatter(text);
  expect(parsed).toMatchObject({ kind: "fields", fields });
  if (parsed.kind === "fields" && text.includes("Body")) expect(parsed.body.trim()).toBe("Body");
});

test.each([
  ["no frontmatter", "# Title\nname: a"],
  ["a byte order mark", "\uFEFF---\nname: a\n---\n"],
  ["a blank line first", "\n---\nname: a\n---\n"],
  ["no closing line", "---\nname: a\n"],
])("sees no frontmatter with %s", async (_name, text) => {
  expect(await parseFrontmatter(text)).toMatchObject({ kind: "none" });
});

test("says in which line broken YAML is, and refuses aliases and lists", async () => {
  expect(await parseFrontmatter("---\nname: a\n  bad: [\n---\n")).toMatchObject({ kind: "broken" });
  expect((await parseFrontmatter("---\na: &x [1]\nb: *x\n---\n")).kind).not.toBe("none");
  expect(await parseFrontmatter("---\n- a\n- b\n---\n")).toMatchObject({ kind: "broken" });
});

test("keys that every object has are only keys", async () => {
  const parsed = await parseFrontmatter(
    "---\nname: a\n__proto__: { polluted: true }\nconstructor: x\n---\n",
  );
  expect(parsed.kind).toBe("fields");
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
