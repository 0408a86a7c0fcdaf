import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { AgentDefinition } from "./definition.ts";
import type { Loaded } from "./definition-file.ts";
import { DefinitionLoader } from "./load.ts";
import { unrestrained } from "./restrain.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

/** Fields of people's files, and how they are read. `null`: the file is not loaded, and that is reported. */
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

/** One field more, and what it becomes; `undefined`: nothing, and the agent is there all the same. */
const fields: [line: string, expected: Record<string, unknown>][] = [
  [`tools: '["Read","Bash"]'`, { tools: ['["Read"', '"Bash"]'] }],
  ["tools: []", { tools: [] }],
  ["tools: {Read: true}", { tools: undefined }],
  ["tools: Read, LS, MultiEdit, codebase", { tools: ["Read", "LS", "MultiEdit", "codebase"] }],
  ["tools: read, bash", { tools: ["read", "bash"] }],
  ["tools: Task, Read", { tools: ["Task", "Read"] }],
  ["tools: Agent(worker, researcher), Read", { tools: ["Agent(worker, researcher)", "Read"] }],
  ["allowed-tools: Read", { tools: undefined }],
  ["disallowedTools: Write", { disallowedTools: ["Write"] }],
  ["model: Sonnet", { model: "Sonnet" }],
  ["model: claude-sonnet-4-20250514", { model: "claude-sonnet-4-20250514" }],
  ["model:", { model: undefined }],
  ["color: magenta", { color: "magenta" }],
  ["maxTurns: true", { maxTurns: undefined }],
  ["maxTurns: [5]", { maxTurns: undefined }],
  ['maxTurns: "0"', { maxTurns: undefined }],
  ["memory: everywhere", { memory: undefined }],
  ["memory: project", { memory: "project" }],
  ['background: "yes"', { background: undefined }],
  ["isolation: docker", { isolation: undefined }],
  ["effort: extreme", { effort: undefined }],
  ["skills: foo, bar", { skills: ["foo", "bar"] }],
  ['hooks:\n  NotAnEvent:\n    - command: "echo"', { hooks: undefined }],
  ["hooks:\n  pre: |\n    echo", { hooks: undefined }],
  [
    "mcpServers:\n  - slack\n  - my:\n      command: /bin/false",
    {
      mcpServers: [
        { name: "slack", configuration: null, tools: null },
        { name: "my", configuration: { command: "/bin/false" }, tools: null },
      ],
    },
  ],
  ["description: Use for C# code # and comments", { description: "Use for C# code" }],
  ["description: %percent start", { description: "%percent start" }],
  ["description: @at start", { description: "@at start" }],
  ["description: `code` start", { description: "`code` start" }],
  ["description: **BOLD**: thing", { description: "**BOLD**: thing" }],
  ['description: "has \\"escapes\\" and: colon"', { description: 'has "escapes" and: colon' }],
  // Only a line ends the frontmatter, or what stands behind would be lost, and with it a limit.
  ["color: a\u2028--- b\ntools: Read", { tools: ["Read"] }],
  ["color: a\r--- b\ntools: Read", { tools: ["Read"] }],
];

test.each(fields)("a file with %j", async (line, expected) => {
  const text = `---\nname: a\n${line.startsWith("description") ? "" : "description: b\n"}${line}\n---\n`;
  const { definitions, diagnostics } = await load({ "x.md": text });
  expect(definitions).toMatchObject([{ name: "a" }]);
  const [[field, value] = ["", undefined]] = Object.entries(expected);
  expect(definitions[0]?.[field as keyof AgentDefinition]).toEqual(value);
  // Dropped values are reported, unless they were empty.
  if (value === undefined && !line.endsWith(":") && !line.startsWith("allowed-tools"))
    expect(diagnostics).toMatchObject([{ severity: "warning", field }]);
});

test.each([
  ["a list as description", "---\nname: a\ndescription: [a, b]\n---\n"],
  ["text behind a quoted start", '---\nname: a\ndescription: "quoted" then more\n---\n'],
  ["a heading first", "# Heading\n\n---\nname: a\ndescription: b\n---\n"],
  ["keys in capitals", "---\nName: a\nDescription: b\n---\n"],
  ["nothing in it", ""],
  ["nothing between the lines", "---\n---\nBody"],
  ["a list for fields", "---\n- a\n- b\n---\nBody"],
  ["CR alone at the ends of lines", "---\rname: a\rdescription: b\r---\rBody"],
])("a file with %s is told of and not loaded", async (_title, text) => {
  const { definitions, diagnostics } = await load({ "x.md": text, "y.md": files[0]?.[1] ?? "" });
  expect(definitions.map(({ file }) => basename(file ?? ""))).toEqual(["y.md"]);
  expect(diagnostics.length).toBeGreaterThan(0);
  expect(new Set(diagnostics.map(({ file }) => basename(file)))).toEqual(new Set(["x.md"]));
});

test("of two files with one name the first path comes first, and a link counts like a file", async () => {
  const text = (description: string): string => `---\nname: a\ndescription: ${description}\n---\n`;
  const { definitions } = await load(
    { "b/x.md": text("second"), "a/y.md": text("first") },
    (path) => symlinkSync("b/x.md", join(path, "z.md")),
  );
  expect(definitions.map(({ description }) => description)).toEqual(["first", "second", "second"]);
});

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

test("only .md counts, in any folder whose name does not begin with a dot", async () => {
  const text = (name: string): string => `---\nname: ${name}\ndescription: d\n---\n`;
  const { definitions, diagnostics } = await load({
    "a.MD": text("upper"),
    "b.mdx": text("mdx"),
    "c.markdown": text("long"),
    "sub/deep/d.md": text("deep"),
    ".hidden/e.md": text("hidden"),
    ".github/readme.md": "no agent",
    ".f.md": text("dot"),
  });
  expect(definitions.map(({ name }) => name).toSorted()).toEqual(["deep", "dot"]);
  expect(diagnostics.map(({ message }) => message)).toEqual([
    expect.stringMatching(/\.hidden begins with a dot and is not read\. Move its files\.$/),
  ]);
});

/** The project's files only. */
async function load(
  agents: Record<string, string | Buffer>,
  more: (path: string) => void = () => undefined,
): Promise<Loaded> {
  const root = temporaryDirectory();
  for (const [name, content] of Object.entries(agents)) {
    const file = join(root, ".claude", "agents", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const path = join(root, ".claude", "agents");
  more(path);
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
