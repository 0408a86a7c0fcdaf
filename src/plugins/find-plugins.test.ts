import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory, writeFiles } from "../../test/support/stage.ts";
import { findPlugins } from "./find-plugins.ts";

const manifest = (name: string): string => JSON.stringify({ name, version: "1.0.0" });
const market = (name: string, plugins: unknown[], rest: object = {}): string =>
  JSON.stringify({ name, plugins, ...rest });

test("without any plugins there is nothing to tell", () => {
  expect(findPlugins({ configDir: temporaryDirectory() })).toEqual({
    plugins: [],
    diagnostics: [],
  });
});

test("plugins come from the given directories, the user's directory and enabled marketplaces, in this order", () => {
  const { configDir, given } = stage({
    "given/.claude-plugin/plugin.json": manifest("z-given"),
    "config/plugins/b/.claude-plugin/plugin.json": manifest("b"),
    "config/plugins/a/agents/x.md": "",
    "config/plugins/marketplaces/m/.claude-plugin/marketplace.json": market("m", [
      { name: "on", source: "./on" },
      { name: "off", source: "./off" },
      { name: "unsaid", source: "./unsaid" },
    ]),
    "config/plugins/marketplaces/m/on/.claude-plugin/plugin.json": manifest("on"),
    "config/plugins/marketplaces/m/off/.claude-plugin/plugin.json": manifest("off"),
    "config/plugins/marketplaces/m/unsaid/.claude-plugin/plugin.json": manifest("unsaid"),
  });
  const enabledPlugins = { "on@m": true, "off@m": false };
  const { plugins, diagnostics } = findPlugins({ configDir, pluginDirs: [given], enabledPlugins });
  expect(plugins.map(({ source }) => source)).toEqual([
    "z-given@inline",
    "a@user",
    "b@user",
    "on@m",
  ]);
  expect(plugins[0]).toMatchObject({ name: "z-given", root: given, version: "1.0.0" });
  expect(diagnostics).toEqual([]);
});

test.each([
  [{ one: false }, 0],
  [{ "one@user": false }, 0],
  [{ "one@anywhere": false }, 0],
  [{ "one-more@user": false, on: false }, 1],
  [{ one: true }, 1],
  [{}, 1],
])("with %j, a plugin in the user's directory counts %i times", (enabledPlugins, count) => {
  const { configDir } = stage({ "config/plugins/one/.claude-plugin/plugin.json": manifest("one") });
  expect(findPlugins({ configDir, enabledPlugins }).plugins).toHaveLength(count);
});

test("of two plugins with one name the first counts, and the other is told", () => {
  const { root, configDir, given } = stage({
    "given/.claude-plugin/plugin.json": manifest("same"),
    "config/plugins/x/.claude-plugin/plugin.json": manifest("same"),
  });
  const { plugins, diagnostics } = findPlugins({ configDir, pluginDirs: [given, given] });
  expect(plugins.map((plugin) => plugin.root)).toEqual([given]);
  expect(diagnostics).toMatchObject([{ code: "shadowed", file: join(root, "config/plugins/x") }]);
});

test("a given directory may be a marketplace: all its local plugins count", () => {
  const { configDir, given } = stage({
    "given/.claude-plugin/marketplace.json": market("m", [
      { name: "one", source: "./plugins/one" },
      { name: "two", source: { source: "github", repo: "a/b" } },
      { name: "three", source: "https://example.com/three.git" },
      { name: "four", source: "plugins/four" },
      { name: "five", source: { source: { toString: 1 } } },
    ]),
    "given/plugins/one/agents/a.md": "",
    "given/plugins/four/agents/a.md": "",
  });
  const { plugins, diagnostics } = findPlugins({ configDir, pluginDirs: [given] });
  expect(plugins.map(({ source }) => source)).toEqual(["one@inline", "four@inline"]);
  expect(diagnostics.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    expect.stringMatching(/^info: Plugin 'two': its source 'github' is not fetched/),
    expect.stringMatching(/^info: Plugin 'three': .* is not fetched/),
    expect.stringMatching(/^info: Plugin 'four': .* is read as '.\/plugins\/four'/),
    expect.stringMatching(/^info: Plugin 'five': its source is not fetched/),
  ]);
});

test("a directory that is both is a plugin", () => {
  const { configDir, given } = stage({
    "given/.claude-plugin/plugin.json": manifest("itself"),
    "given/.claude-plugin/marketplace.json": market("m", [{ name: "other", source: "./other" }]),
    "given/other/agents/a.md": "",
  });
  const { plugins } = findPlugins({ configDir, pluginDirs: [given] });
  expect(plugins.map(({ name }) => name)).toEqual(["itself"]);
});

test("a marketplace's pluginRoot stands before its sources", () => {
  const { configDir, given } = stage({
    "given/.claude-plugin/marketplace.json": market(
      "m",
      [
        { name: "one", source: "one" },
        { name: "two", source: "./two" },
      ],
      { metadata: { pluginRoot: "./deep/down" } },
    ),
    "given/deep/down/one/agents/a.md": "",
    "given/deep/down/two/agents/a.md": "",
  });
  const { plugins, diagnostics } = findPlugins({ configDir, pluginDirs: [given] });
  expect(plugins.map(({ root }) => root)).toEqual([
    join(given, "deep/down/one"),
    join(given, "deep/down/two"),
  ]);
  expect(diagnostics).toEqual([]);
});

test("an entry adds to the plugin's manifest only where it is not strict, or there is none", () => {
  const entry = { agents: "./extra", version: "9.9.9", hooks: { Stop: [] } };
  const { configDir, given } = stage({
    "given/.claude-plugin/marketplace.json": market("m", [
      { name: "strict", source: "./strict", ...entry },
      { name: "loose", source: "./loose", strict: false, ...entry },
      { name: "bare", source: "./bare", ...entry },
    ]),
    "given/strict/.claude-plugin/plugin.json": manifest("strict"),
    "given/strict/extra/a.md": "",
    "given/loose/.claude-plugin/plugin.json": manifest("loose"),
    "given/loose/extra/a.md": "",
    "given/bare/extra/a.md": "",
  });
  const { plugins } = findPlugins({ configDir, pluginDirs: [given] });
  expect(
    plugins.map(({ name, version, agents, hooks }) => [name, version, agents.length, hooks.length]),
  ).toEqual([
    ["strict", "1.0.0", 0, 0],
    ["loose", "1.0.0", 1, 1],
    ["bare", "9.9.9", 1, 1],
  ]);
});

test("sources that leave the marketplace are refused", () => {
  const { root, configDir, given } = stage({
    "outside/agents/a.md": "",
    "given/.claude-plugin/marketplace.json": market("m", [
      { name: "climbs", source: "../outside" },
      { name: "absolute", source: "/etc" },
      { name: "linked", source: "./link" },
      { name: "missing", source: "./nowhere" },
      { name: "a/b", source: "./" },
      "text",
      null,
    ]),
  });
  symlinkSync(join(root, "outside"), join(given, "link"));
  const { plugins, diagnostics } = findPlugins({ configDir, pluginDirs: [given] });
  expect(plugins).toEqual([]);
  expect(diagnostics.map(({ severity }) => severity)).toEqual(Array(7).fill("error"));
});

test.each([
  [{ pluginRoot: "../outside" }, 0],
  [{ pluginRoot: "/" }, 0],
  [{ pluginRoot: 5 }, 1],
  ["text", 1],
])("metadata %j of a marketplace finds %i plugins", (metadata, count) => {
  const { configDir, given } = stage({
    "outside/one/agents/a.md": "",
    "given/.claude-plugin/marketplace.json": market("m", [{ name: "one", source: "./one" }], {
      metadata,
    }),
    "given/one/agents/a.md": "",
  });
  expect(findPlugins({ configDir, pluginDirs: [given] }).plugins).toHaveLength(count);
});

test("what is broken is told and keeps nothing else from loading", () => {
  const { root, configDir, given } = stage({
    "given/agents/a.md": "",
    "config/plugins/broken/.claude-plugin/plugin.json": "{",
    "config/plugins/cache/m/one/agents/a.md": "",
    "config/plugins/.git/agents/a.md": "",
    "config/plugins/empty/README.md": "",
    "config/plugins/known_marketplaces.json": "{}",
    "config/plugins/fine/agents/a.md": "",
    "config/plugins/marketplaces/list/.claude-plugin/marketplace.json": '{"plugins": {}}',
    "config/plugins/marketplaces/none/README.md": "",
  });
  mkdirSync(join(root, "config/plugins/pipe/.claude-plugin"), { recursive: true });
  execFileSync("mkfifo", [join(root, "config/plugins/pipe/.claude-plugin/plugin.json")]);
  const missing = join(root, "nowhere");
  const { plugins, diagnostics } = findPlugins({
    configDir,
    pluginDirs: [missing, given, "nul\u0000"],
  });
  expect(plugins.map(({ name }) => name)).toEqual(["given", "fine"]);
  expect(diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
    "error missing",
    "error missing",
    "error unreadable",
    "info unknown",
    "error unreadable",
    "error invalid",
  ]);
});

test("a marketplace cannot pass for another by its name", () => {
  const plugins = [{ name: "one", source: "./one" }];
  const { root, configDir } = stage({
    "config/plugins/marketplaces/a-liar/.claude-plugin/marketplace.json": market("m", plugins),
    "config/plugins/marketplaces/a-liar/one/agents/a.md": "",
    "config/plugins/marketplaces/m/.claude-plugin/marketplace.json": market("m", plugins),
    "config/plugins/marketplaces/m/one/agents/a.md": "",
    "config/plugins/marketplaces/folder/.claude-plugin/marketplace.json": market("own", [
      { name: "two", source: "./two" },
    ]),
    "config/plugins/marketplaces/folder/two/agents/a.md": "",
  });
  const enabledPlugins = { "one@m": true, "two@own": true };
  const found = findPlugins({ configDir, enabledPlugins }).plugins;
  expect(found.map(({ root, source }) => [root, source])).toEqual([
    [join(root, "config/plugins/marketplaces/folder/two"), "two@own"],
    [join(root, "config/plugins/marketplaces/m/one"), "one@m"],
  ]);
});

function stage(files: Record<string, string>): { root: string; configDir: string; given: string } {
  const root = temporaryDirectory();
  writeFiles(root, files);
  return { root, configDir: join(root, "config"), given: join(root, "given") };
}
