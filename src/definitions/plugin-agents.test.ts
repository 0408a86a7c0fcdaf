import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory, writeFiles } from "../../test/support/stage.ts";
import { readPlugin, type Plugin } from "../plugins/read-plugin.ts";
import type { Loaded } from "./definition-file.ts";
import { DefinitionLoader } from "./load.ts";
import { loadPluginAgentFile } from "./plugin-agents.ts";
import { unrestrained, type Restraints } from "./restrain.ts";

test("agents are called after plugin, folders and name", async () => {
  const plugin = stage({
    "agents/plain.md": "---\nname: other-name\ndescription: d\n---\nBody",
    "agents/review/security.md": "---\ndescription: d\n---\nBody",
    "agents/review/deep/.hidden.md": "---\nname: hidden\ndescription: d\n---\nBody",
    "agents/no.MD": "---\nname: no\ndescription: d\n---\n",
    "agents/no.txt": "",
  });
  const { definitions } = await load(plugin);
  expect(definitions.map(({ name }) => name)).toEqual([
    "kit:other-name",
    "kit:review:deep:hidden",
    "kit:review:security",
  ]);
  expect(definitions[0]).toMatchObject({ source: "plugin", prompt: "Body", description: "d" });
});

test("a file that is named twice is loaded once", async () => {
  const plugin = stage(
    { "agents/a.md": "", "agents/sub/b.md": "" },
    { agents: ["./agents/sub", "./agents/a.md"] },
  );
  const { definitions } = await load(plugin);
  expect(definitions.map(({ name }) => name)).toEqual(["kit:a", "kit:sub:b"]);
});

test.each([
  ["no frontmatter", "Just\ntext", "Just\ntext", 1],
  ["frontmatter that does not end", "---\nname: a\n", "---\nname: a", 1],
  [
    "broken YAML",
    "---\nname: a\ndescription: See:\n\n<example>\nuser: hi\n</example>\n---\nRest",
    "Rest",
    3,
  ],
])("a file with %s loads under its own name", async (_title, text, prompt, line) => {
  const { definitions, diagnostics } = await load(stage({ "agents/sub/odd.md": text }));
  expect(definitions).toMatchObject([
    { name: "kit:sub:odd", description: "Agent from kit plugin", prompt },
  ]);
  expect(diagnostics).toMatchObject([{ severity: "warning", code: "repaired", line }]);
});

test("a name or description that is no text is replaced, and that is said", async () => {
  const text = "---\nname: 12345\ndescription: [a]\ntools: Read\n---\n";
  const { definitions, diagnostics } = await load(stage({ "agents/odd.md": text }));
  expect(definitions).toMatchObject([
    { name: "kit:odd", description: "Agent from kit plugin", tools: ["Read"] },
  ]);
  expect(diagnostics).toMatchObject([
    { code: "repaired", field: "name", line: 2 },
    { code: "repaired", field: "description", line: 3 },
  ]);
});

test.each(["a:b", "-a", '"a\\0b"'])("a name %s is refused, and that is said", async (name) => {
  const text = `---\nname: ${name}\ndescription: d\n---\n`;
  const { definitions, diagnostics } = await load(stage({ "agents/odd.md": text }));
  expect(definitions).toEqual([]);
  expect(diagnostics).toMatchObject([
    { severity: "error", field: "name", agent: expect.stringMatching(/^kit:/) },
  ]);
});

test.each(["a:b", "a\u0007b"])("a folder %j cannot be part of a name", async (folder) => {
  const plugin = stage({ "agents/a.md": "" });
  const file = join(plugin.root, "agents/a.md");
  const { definitions, diagnostics } = await loadPluginAgentFile(file, {
    plugin,
    folders: [folder],
  });
  expect(definitions).toEqual([]);
  expect(diagnostics).toMatchObject([{ severity: "error", code: "invalid" }]);
});

test("the plugin's directory is put into the prompt", async () => {
  const text = "---\ndescription: d\n---\nRun ${CLAUDE_PLUGIN_ROOT}/x in ${CLAUDE_PROJECT_DIR}.";
  const plugin = stage({ "agents/a.md": text });
  const { definitions } = await load(plugin);
  expect(definitions[0]?.prompt).toBe(`Run ${plugin.root}/x in \${CLAUDE_PROJECT_DIR}.`);
});

test("hooks, servers and modes have no effect unless a policy allows them", async () => {
  const text =
    "---\nname: a\ndescription: d\npermissionMode: acceptEdits\nhooks:\n  Stop: []\nmcpServers: [x]\n---\n";
  const plugin = stage({ "agents/a.md": text });
  const { definitions, diagnostics } = await load(plugin);
  expect(definitions[0]).not.toHaveProperty("permissionMode");
  const inert = diagnostics.filter(({ code }) => code === "inert");
  expect(inert.map(({ field, line }) => [field, line])).toEqual([
    ["hooks", 5],
    ["mcpServers", 7],
    ["permissionMode", 4],
  ]);
  const allowed = await load(plugin, { ...unrestrained, pluginsMay: new Set(["permissionMode"]) });
  expect(allowed.definitions).toMatchObject([{ permissionMode: "acceptEdits" }]);
});

test("links out of the plugin, circles and pipes are not loaded, and long files are told", async () => {
  const plugin = stage({
    "agents/a.md": "---\ndescription: d\n---\n",
    "agents/long.md": "x".repeat(300_000),
  });
  const agents = join(plugin.root, "agents");
  symlinkSync("/etc/passwd", join(agents, "out.md"));
  symlinkSync(".", join(agents, "circle"));
  execFileSync("mkfifo", [join(agents, "pipe.md")]);
  const { definitions, diagnostics } = await load(plugin);
  expect(definitions.map(({ name }) => name)).toEqual(["kit:a"]);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toMatchObject([
    { code: "unreadable", message: expect.stringMatching(/256 KiB/) },
    { code: "unreadable", message: expect.stringMatching(/leads out of .* through a link/) },
    { code: "unreadable", message: expect.stringMatching(/not a regular file/) },
  ]);
  const pipe = await loadPluginAgentFile(join(agents, "pipe.md"), { plugin, folders: [] });
  expect(pipe.diagnostics).toMatchObject([
    { message: expect.stringMatching(/not a regular file/) },
  ]);
});

function stage(files: Record<string, string>, manifest: object = {}): Plugin {
  const root = temporaryDirectory();
  const plugin = JSON.stringify({ name: "kit", ...manifest });
  writeFiles(root, { ".claude-plugin/plugin.json": plugin, ...files });
  const read = readPlugin(root, { marketplace: "inline" });
  if (read.plugin === null) throw new Error("no plugin");
  return read.plugin;
}

function load(plugin: Plugin, restraints: Restraints = unrestrained): Promise<Loaded> {
  const places = plugin.agents.map((path) => ({
    source: "plugin" as const,
    path,
    trusted: true,
    within: plugin.root,
    plugin,
  }));
  return new DefinitionLoader({ places, lenient: false, restraints }).load();
}
