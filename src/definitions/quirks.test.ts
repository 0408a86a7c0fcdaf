import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AgentDefinition } from "./definition.ts";
import type { Loaded } from "./definition-file.ts";
import { DefinitionLoader } from "./load.ts";
import { unrestrained } from "./restrain.ts";

/** What is in people's files, and what becomes of it. `null`: it is not loaded, and that is said. */
const files: [string, string | Buffer, Record<string, unknown> | null][] = [
  ["a plain one", "---\nname: a\ndescription: Does it\n---\nBody", { description: "Does it" }],
  [
    "CRLF",
    "---\r\nname: a\r\ndescription: b\r\ntools: Read, Grep\r\n---\r\nB",
    { tools: ["Read", "Grep"] },
  ],
  [
    "a colon in the description",
    "---\nname: a\ndescription: When: x: y\n---\n",
    { description: "When: x: y" },
  ],
  ["no body", "---\nname: a\ndescription: b\n---", { prompt: "" }],
  [
    "tools as a list",
    "---\nname: a\ndescription: b\ntools:\n  - Read\n  - Bash\n---\n",
    { tools: ["Read", "Bash"] },
  ],
  [
    "tools as a flow list",
    "---\nname: a\ndescription: b\ntools: [Read, Bash]\n---\n",
    { tools: ["Read", "Bash"] },
  ],
  [
    "tools between blanks",
    "---\nname: a\ndescription: b\ntools: Read Grep Bash\n---\n",
    { tools: ["Read", "Grep", "Bash"] },
  ],
  ["a bare star", "---\nname: a\ndescription: b\ntools: *\n---\n", { tools: undefined }],
  ["a quoted star", '---\nname: a\ndescription: b\ntools: "*"\n---\n', { tools: undefined }],
  ["tools without a value", "---\nname: a\ndescription: b\ntools:\n---\n", { tools: undefined }],
  [
    "a rule",
    "---\nname: a\ndescription: b\ntools: Read, Bash(git diff *)\n---\n",
    { tools: ["Read", "Bash(git diff *)"] },
  ],
  ["a model nobody knows", "---\nname: a\ndescription: b\nmodel: gpt-4\n---\n", { model: "gpt-4" }],
  [
    "a model with blanks",
    "---\nname: a\ndescription: b\nmodel: Claude Sonnet 4.5\n---\n",
    { model: "Claude Sonnet 4.5" },
  ],
  [
    "keys nobody knows",
    "---\nname: a\ndescription: b\ncapabilities: [x]\nmetadata:\n  x: 1\n---\n",
    { description: "b" },
  ],
  [
    "a mode nobody knows",
    "---\nname: a\ndescription: b\npermissionMode: yolo\n---\n",
    { permissionMode: undefined },
  ],
  [
    "turns that are no number",
    "---\nname: a\ndescription: b\nmaxTurns: lots\n---\n",
    { maxTurns: undefined },
  ],
  ["turns as text", '---\nname: a\ndescription: b\nmaxTurns: "5"\n---\n', { maxTurns: 5 }],
  [
    "tabs before items",
    "---\nname: a\ndescription: b\ntools:\n\t- Read\n---\n",
    { tools: ["Read"] },
  ],
  ["a key twice", "---\nname: b\nname: a\ndescription: b\n---\n", { name: "a" }],
  [
    "blanks and capitals in the name",
    "---\nname: My Agent\ndescription: b\n---\n",
    { name: "My Agent" },
  ],
  ["a name beyond ASCII", "---\nname: コード\ndescription: b\n---\n", { name: "コード" }],
  [
    "a block text",
    "---\nname: a\ndescription: |\n  One\n  Two: three\n---\n",
    { description: "One\nTwo: three\n" },
  ],
  [
    "a folded text",
    "---\nname: a\ndescription: >-\n  One\n  Two\n---\n",
    { description: "One Two" },
  ],
  [
    "written line breaks",
    "---\nname: a\ndescription: See:\\n<example>\n---\n",
    { description: "See:\n<example>" },
  ],
  ["blanks after the lines", "--- \nname: a\ndescription: b\n---   \nB", { prompt: "B" }],
  ["a longer last line", "---\nname: a\ndescription: b\n-----\nB", { prompt: "B" }],
  [
    "dashes in a value",
    "---\nname: a\ndescription: this --- that\ntools: Read\n---\n",
    { tools: ["Read"] },
  ],
  [
    "bytes that are no UTF-8",
    Buffer.from("---\nname: a\ndescription: b\xff\n---\n", "latin1"),
    { name: "a" },
  ],
  ["a byte order mark", "\uFEFF---\nname: a\ndescription: b\n---\n", null],
  ["a blank line first", "\n---\nname: a\ndescription: b\n---\n", null],
  ["a fence around it", "```yaml\n---\nname: a\ndescription: b\n---\n```\n", null],
  ["no end", "---\nname: a\ndescription: b\n", null],
  [
    "an example over many lines",
    "---\nname: a\ndescription: See:\n\n<example>\nuser: hi\n</example>\n---\n",
    null,
  ],
  ["a name with a colon", "---\nname: a:b\ndescription: b\n---\n", null],
  ["a name that starts with a dash", "---\nname: -a\ndescription: b\n---\n", null],
  ["no name", "---\ndescription: b\n---\n", null],
  ["a number as name", "---\nname: 12345\ndescription: b\n---\n", null],
  ["a truth as name", "---\nname: true\ndescription: b\n---\n", null],
  ["no description", "---\nname: a\n---\n", null],
  ["an empty description", "---\nname: a\ndescription: ''\n---\n", null],
];

test.each(files)("a file with %s", async (_title, text, expected) => {
  const { definitions, diagnostics } = await load({ "x.md": text });
  if (expected === null) {
    expect(definitions).toEqual([]);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]?.file).toMatch(/x\.md$/);
    expect(diagnostics[0]?.message.length).toBeGreaterThan(20);
  } else {
    expect(definitions).toHaveLength(1);
    for (const [field, value] of Object.entries(expected)) {
      expect(definitions[0]?.[field as keyof AgentDefinition]).toEqual(value);
    }
  }
});

test("only .md counts, in any folder, hidden ones too", async () => {
  const text = (name: string): string => `---\nname: ${name}\ndescription: d\n---\n`;
  const { definitions } = await load({
    "a.MD": text("upper"),
    "b.mdx": text("mdx"),
    "c.markdown": text("long"),
    "sub/deep/d.md": text("deep"),
    ".hidden/e.md": text("hidden"),
    ".f.md": text("dot"),
  });
  expect(definitions.map(({ name }) => name).toSorted()).toEqual(["deep", "dot", "hidden"]);
});

/** The project's files only. */
async function load(agents: Record<string, string | Buffer>): Promise<Loaded> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "retinue-quirks-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(agents)) {
    const file = join(root, ".claude", "agents", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const path = join(root, ".claude", "agents");
  const loader = new DefinitionLoader({
    places: [{ source: "project", path, trusted: true, within: null }],
    lenient: false,
    restraints: unrestrained,
  });
  const { definitions, diagnostics } = await loader.load();
  return {
    definitions: definitions.filter(({ source }) => source === "project"),
    diagnostics: diagnostics.filter(
      ({ file, severity }) => file?.startsWith(root) && severity !== "info",
    ),
  };
}
