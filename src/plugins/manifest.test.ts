import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory, writeFiles } from "../../test/support/stage.ts";
import { readManifest } from "./manifest.ts";
import { readPlugin, type Plugin } from "./read-plugin.ts";

const file = ".claude-plugin/plugin.json";

test("a name is enough, and fields that nobody knows are left alone", () => {
  const root = plugin({ name: "one", author: "Somebody", version: 3, invented: { x: 1 } });
  expect(readManifest(root)).toMatchObject({
    kind: "manifest",
    manifest: { name: "one", author: "Somebody", version: undefined },
    diagnostics: [],
  });
});

test("an author may be an object", () => {
  const root = plugin({ name: "one", author: { name: "Somebody", url: 4 } });
  expect(readManifest(root)).toMatchObject({ manifest: { author: { name: "Somebody" } } });
});

test("a directory without a manifest is a plugin of its name", () => {
  const root = join(temporaryDirectory(), "bare");
  writeFiles(root, { "agents/a.md": "" });
  const { plugin, diagnostics } = readPlugin(root, { marketplace: "inline" });
  expect(plugin).toMatchObject({ name: "bare", source: "bare@inline", root });
  expect(plugin?.agents).toEqual([join(root, "agents")]);
  expect(diagnostics).toEqual([]);
});

test.each([
  ["Capitals And Blanks", 1],
  ["a_b.c@d", 1],
  ["kebab-case-2", 0],
])("the name %j is taken", (name, remarks) => {
  const read = readManifest(plugin({ name }));
  expect(read).toMatchObject({ kind: "manifest", manifest: { name } });
  expect(read.kind === "manifest" && read.diagnostics.length).toBe(remarks);
});

test.each([
  "",
  "a:b",
  "a/b",
  "../x",
  "-rf",
  ".hidden",
  "a\u0000b",
  "a\u001b[2J",
  "a\nb",
  42,
  null,
  ["a"],
  { toString: 1 },
])("the name %j is refused, and that is said", (name) => {
  const { plugin: none, diagnostics } = readPlugin(plugin({ name }), { marketplace: "inline" });
  expect(none).toBeNull();
  expect(diagnostics).toMatchObject([{ severity: "error", code: "invalid", field: "name" }]);
});

test("paths of the manifest add to the default places", () => {
  const root = plugin(
    {
      name: "one",
      agents: ["./more/a.md", "./agents", "agents"],
      skills: "./extra",
      commands: { about: { source: "./README.md" } },
      hooks: ["./other.json", { Stop: [] }],
      mcpServers: { server: { command: "${CLAUDE_PLUGIN_ROOT}/run" } },
    },
    {
      "agents/b.md": "",
      "more/a.md": "",
      "skills/s/SKILL.md": "",
      "extra/t/SKILL.md": "",
      "README.md": "",
      "hooks/hooks.json": "{}",
      "other.json": "{}",
      ".mcp.json": "{}",
    },
  );
  const found = read(root);
  expect(found.agents).toEqual([join(root, "agents"), join(root, "more/a.md")]);
  expect(found.skills).toEqual([join(root, "skills"), join(root, "extra")]);
  expect(found.commands).toEqual([join(root, "README.md")]);
  expect(found.hooks).toEqual([
    { kind: "file", file: join(root, "hooks/hooks.json") },
    { kind: "file", file: join(root, "other.json") },
    { kind: "inline", data: { Stop: [] } },
  ]);
  expect(found.mcpServers).toEqual([
    { kind: "file", file: join(root, ".mcp.json") },
    { kind: "inline", data: { server: { command: "${CLAUDE_PLUGIN_ROOT}/run" } } },
  ]);
  expect(found.diagnostics).toMatchObject([
    { severity: "info", code: "repaired", field: "agents", file: join(root, file) },
  ]);
});

test.each([
  ["../../x", "invalid", /climbs/],
  ["./a/../../x", "invalid", /climbs/],
  ["..\\x", "invalid", /climbs/],
  ["/etc", "invalid", /absolute/],
  ["C:\\x", "invalid", /absolute/],
  ["./a\u0000b", "invalid", /control characters/],
  ["", "invalid", /empty/],
  ["./nowhere", "missing", /does not exist/],
  ["./link", "invalid", /link out of/],
  ["./link/passwd", "invalid", /link out of/],
  ["./dangling", "invalid", /link out of/],
  ["./pipe", "invalid", /takes directories/],
  ["./notes.txt", "invalid", /takes directories/],
  ["https://example.com/a.md", "unsupported", /not fetched/],
  [42, "invalid", /takes directories/],
  [{ source: { toString: 1 } }, "invalid", /takes directories/],
])("a path %j is left out, and that is said", (path, code, message) => {
  const root = plugin(
    { name: "one", agents: [path, "./good.md"] },
    { "good.md": "", "notes.txt": "" },
  );
  symlinkSync("/etc", join(root, "link"));
  symlinkSync("/nowhere-at-all", join(root, "dangling"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  const found = read(root);
  expect(found.agents).toEqual([join(root, "good.md")]);
  expect(found.diagnostics).toMatchObject([
    { code, field: "agents", message: expect.stringMatching(message) },
  ]);
});

test("a default place that is a link out of the plugin is left out", () => {
  const root = plugin({ name: "one" });
  symlinkSync("/etc", join(root, "agents"));
  symlinkSync("/etc/hostname", join(root, ".mcp.json"));
  const found = read(root);
  expect([found.agents, found.mcpServers]).toEqual([[], []]);
  expect(found.diagnostics.map(({ severity }) => severity)).toEqual(["error", "error"]);
});

test("a link that stays inside the plugin is followed", () => {
  const root = plugin({ name: "one" }, { "real/a.md": "" });
  symlinkSync("real", join(root, "agents"));
  expect(read(root).agents).toEqual([join(root, "real")]);
});

test("links out of the plugin among its agents and skills are told", () => {
  const root = plugin({ name: "one" }, { "agents/a.md": "", "skills/s/SKILL.md": "" });
  symlinkSync("/etc/passwd", join(root, "agents/passwd.md"));
  symlinkSync("/etc", join(root, "skills/etc"));
  expect(read(root).diagnostics.map(({ file }) => file)).toEqual([
    join(root, "agents/passwd.md"),
    join(root, "skills/etc"),
  ]);
});

test("a plugin with too many files is not read to its end", () => {
  const root = plugin({ name: "one" });
  for (const folder of ["a", "b", "c"]) {
    mkdirSync(join(root, "agents", folder), { recursive: true });
    for (let at = 0; at < 3_400; at += 1)
      writeFileSync(join(root, "agents", folder, `${at}.md`), "");
  }
  expect(read(root).diagnostics).toMatchObject([
    { severity: "warning", message: expect.stringMatching(/more than 10000 entries/) },
  ]);
});

test.each([
  ['{\n  "name": x\n}', 2, 11, "a value is"],
  ['{\n  "name": "a",\n}', 3, 1, "a key in double quotes is"],
  ['{"name" "a"}', 1, 9, "':' is"],
  ['{"name": "a" "b": 1}', 1, 14, "',' or '}' is"],
  ['{"name": ["a" 1]}', 1, 15, "',' or ']' is"],
  ['{"name": "a"} x', 1, 15, "nothing more is"],
  ['{"name": "a\nb"}', 1, 12, "not closed"],
  ['{"name": 01}', 1, 11, "',' or '}' is"],
  ['{"name": tru}', 1, 10, "a value"],
  ['{"name": "a"', 1, 13, "',' or '}' is"],
  ["{'name': 1}", 1, 2, "a key in double quotes"],
  ["", 1, 1, "a value is"],
])("the fault in %j is found where it is", (text, line, column, expected) => {
  const root = written(text);
  expect(readManifest(root)).toMatchObject({
    kind: "broken",
    diagnostics: [
      {
        severity: "error",
        code: "unreadable",
        file: join(root, file),
        line,
        column,
        message: expect.stringContaining(expected),
      },
    ],
  });
});

test.each([
  ["a list", "[]", /one JSON object/],
  ["20,000 levels", `${"[".repeat(20_000)}${"]".repeat(20_000)}`, /one JSON object/],
  ["20,000 levels without an end", '{"a":'.repeat(20_000), /ends too early/],
  ["50 MB", `{"name": "${"a".repeat(50 * 1024 * 1024)}"}`, /larger than 256 KiB/],
])("a manifest with %s is refused", (_title, text, message) => {
  expect(readManifest(written(text))).toMatchObject({
    kind: "broken",
    diagnostics: [{ message: expect.stringMatching(message) }],
  });
});

test("a field with 20,000 levels is left out", () => {
  const text = `{"name": "a", "agents": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  expect(readManifest(written(text))).toMatchObject({
    kind: "manifest",
    manifest: { name: "a" },
    diagnostics: [{ message: expect.stringMatching(/nested deeper than 64 levels/) }],
  });
});

test("a byte order mark before the manifest does no harm", () => {
  expect(readManifest(written('\uFEFF{"name": "a"}'))).toMatchObject({ kind: "manifest" });
});

test("keys __proto__ and constructor change nothing", () => {
  const root = written(
    '{"name":"a","__proto__":{"polluted":1},"constructor":1,"hooks":{"__proto__":{"polluted":1},"Stop":[]}}',
  );
  const found = read(root);
  expect(found.hooks).toEqual([{ kind: "inline", data: { Stop: [] } }]);
  expect("polluted" in found).toBe(false);
  expect("polluted" in {}).toBe(false);
});

test("a pipe, a directory or a link out in the manifest's place is refused at once", () => {
  for (const put of [
    (path: string) => execFileSync("mkfifo", [path]),
    (path: string) => mkdirSync(path),
    (path: string) => symlinkSync("/etc/passwd", path),
    (path: string) => symlinkSync("plugin.json", path),
  ]) {
    const root = temporaryDirectory();
    mkdirSync(join(root, ".claude-plugin"));
    put(join(root, file));
    expect(readManifest(root)).toMatchObject({
      kind: "broken",
      diagnostics: [{ severity: "error" }],
    });
  }
});

function plugin(manifest: unknown, files: Record<string, string> = {}): string {
  const root = written(JSON.stringify(manifest));
  writeFiles(root, files);
  return root;
}

function written(text: string): string {
  const root = temporaryDirectory();
  writeFiles(root, { [file]: text });
  return root;
}

function read(root: string): Plugin {
  const { plugin } = readPlugin(root, { marketplace: "inline" });
  if (plugin === null) throw new Error("no plugin");
  return plugin;
}
