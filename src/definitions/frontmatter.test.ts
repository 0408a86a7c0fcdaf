import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { fc } from "../../test/support/properties.ts";
import { parseFrontmatter, quoteValues, strayColon } from "./frontmatter.ts";
import { readPlainFields } from "./plain-fields.ts";

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

test("what is repaired without YAML is what YAML refuses, and repaired reads the same", () => {
  const value = fc.oneof(
    fc.constantFrom(
      "x",
      "Use it: now",
      "a #b: c",
      "it's: so",
      '"q: r"',
      "[a]",
      "*",
      "a: b: c",
      "&x: y",
    ),
    fc.stringMatching(/^[a-z:# '"[\]{}*]{0,10}$/),
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), (values) => {
      const head = `${values.map((one, index) => `k${"abcd"[index]}: ${one}`).join("\n")}\n`;
      const repaired = readPlainFields(quoteValues(head));
      if (strayColon(head) === null || repaired === undefined) return;
      const options = { uniqueKeys: false, logLevel: "silent" } as const;
      expect(parseDocument(head, options).errors).not.toEqual([]);
      const document = parseDocument(quoteValues(head), options);
      expect(document.errors).toEqual([]);
      expect(document.toJS()).toEqual(repaired);
    }),
    { numRuns: 5000 },
  );
});

test("lenient: a byte order mark, blank lines and text that is no YAML are read, and that is said", async () => {
  const broken =
    "\uFEFF\n\n---\nname: a\ndescription: Use it. Examples:\n\n<example>\nuser: hi: there\n</example>\ntools: Read\n---\nBody";
  expect((await parseFrontmatter(broken)).kind).toBe("none");
  expect((await parseFrontmatter(broken.replace(/^\uFEFF\n\n/, ""))).kind).toBe("broken");
  const parsed = await parseFrontmatter(broken, { lenient: true });
  expect(parsed).toMatchObject({
    kind: "fields",
    fields: {
      name: "a",
      description: "Use it. Examples:\n\n<example>\nuser: hi: there\n</example>",
      tools: "Read",
    },
    body: "Body",
  });
  if (parsed.kind !== "fields") return;
  expect(parsed.places.get("tools")).toEqual({ line: 10, column: 1 });
  expect(parsed.notices.map(({ code }) => code)).toEqual(["repaired", "repaired"]);
});

test("a key that stands twice is reported where it stands again", async () => {
  const parsed = await parseFrontmatter("---\nname: a\ntools: Read\ntools: Bash\n---\n");
  expect(parsed).toMatchObject({
    fields: { tools: "Bash" },
    notices: [{ severity: "warning", field: "tools", line: 4, column: 1 }],
  });
});

test("a hundred thousand carriage returns are only carriage returns", async () => {
  const returns = "\r".repeat(100_000);
  expect((await parseFrontmatter(`---\nname: a\n---\n${returns}x`)).body).toBe(`${returns}x`);
  expect((await parseFrontmatter(`---\nname: a${returns}\n---\nb${returns}\nc`)).body).toBe("b\nc");
});
