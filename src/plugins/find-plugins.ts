import { join, resolve } from "node:path";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { realPath } from "../platform/files/real-path.ts";
import { diagnose, shown } from "./diagnose.ts";
import { isMarketplace, readMarketplace, type Marketplace } from "./marketplace.ts";
import { isThere } from "./path-inside.ts";
import { looksLikePlugin, readPlugin, type Plugin } from "./read-plugin.ts";
import { fullBudget, listEntries } from "./walk-plugin.ts";
import { kindOf } from "../platform/files/kind-of.ts";

export interface FoundPlugins {
  plugins: Plugin[];
  /** All diagnostics, those of the plugins included. */
  diagnostics: Diagnostic[];
}

/**
 * Finds the plugins of a session. First those of `pluginDirs`, each a plugin or a marketplace; then
 * `<configDir>/plugins/*`, unless `enabledPlugins` has `false` for them; then those of
 * `<configDir>/plugins/marketplaces/*` for which it has `true`. The first of two with one name wins. Nothing is run or
 * fetched. Never throws.
 */
export function findPlugins(options: {
  configDir: string;
  pluginDirs?: readonly string[];
  enabledPlugins?: Readonly<Record<string, unknown>>;
}): FoundPlugins {
  const { configDir, pluginDirs = [], enabledPlugins = {} } = options;
  const installed = join(resolve(configDir), "plugins");
  const listing: Diagnostic[] = [];
  const found: PluginGroup[] = [
    ...pluginDirs.map(readGiven),
    ...directoriesIn(installed, listing).map((directory) =>
      readInstalled(directory, enabledPlugins),
    ),
    ...enabledOfMarketplaces(
      directoriesIn(join(installed, "marketplaces"), listing),
      enabledPlugins,
    ),
    { plugins: [], diagnostics: listing },
  ];
  return firstOfEachName(found);
}

interface PluginGroup {
  plugins: Plugin[];
  diagnostics: readonly Diagnostic[];
}

function readGiven(given: string): PluginGroup {
  const directory = resolve(given);
  if (isThere(join(directory, ".claude-plugin", "plugin.json")) || !isMarketplace(directory))
    return one(readPlugin(directory, { marketplace: "inline" }));
  const marketplace = readMarketplace(realPath(directory));
  return readEntries(marketplace, { source: "inline", wants: () => true });
}

/** Directories beside the installed plugins that are no plugins. */
const notPlugins: ReadonlySet<string> = new Set(["marketplaces", "cache", "data", "repos"]);

function readInstalled(
  { path, name }: Directory,
  enabledPlugins: Readonly<Record<string, unknown>>,
): PluginGroup {
  if (notPlugins.has(name) || name.startsWith(".")) return nothing;
  if (!looksLikePlugin(path)) {
    const message = "This directory contains no plugin and is ignored.";
    const problem = { severity: "info", code: "unknown", message } as const;
    return { plugins: [], diagnostics: [diagnose(path, problem)] };
  }
  const found = one(readPlugin(path, { marketplace: "user" }));
  return found.plugins.some((plugin) => isDisabled(plugin.name, enabledPlugins)) ? nothing : found;
}

function isDisabled(name: string, enabledPlugins: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(enabledPlugins).some(
    ([key, enabled]) => enabled === false && (key === name || key.startsWith(`${name}@`)),
  );
}

function enabledOfMarketplaces(
  directories: readonly Directory[],
  enabledPlugins: Readonly<Record<string, unknown>>,
): PluginGroup[] {
  const taken = new Set(directories.map(({ name }) => name));
  return directories.map(({ path, name }) => {
    if (!isMarketplace(path)) return nothing;
    const marketplace = readMarketplace(realPath(path));
    // The marketplace's own name counts too, unless another marketplace has it.
    const names = taken.has(marketplace.name) ? [name] : [name, marketplace.name];
    taken.add(marketplace.name);
    const wants = (plugin: string): boolean =>
      names.some((own) => enabledPlugins[`${plugin}@${own}`] === true);
    return readEntries(marketplace, { source: names.at(-1) ?? name, wants });
  });
}

function readEntries(
  { plugins, diagnostics }: Marketplace,
  { source, wants }: { source: string; wants: (plugin: string) => boolean },
): PluginGroup {
  const found = plugins
    .filter(({ entry }) => wants(entry.name))
    .map(({ entry, root, diagnostics }): PluginGroup => {
      const read = root === null ? nothing : one(readPlugin(root, { marketplace: source, entry }));
      return { plugins: read.plugins, diagnostics: [...diagnostics, ...read.diagnostics] };
    });
  return {
    plugins: found.flatMap(({ plugins }) => plugins),
    diagnostics: [...diagnostics, ...found.flatMap(({ diagnostics }) => diagnostics)],
  };
}

function firstOfEachName(found: readonly PluginGroup[]): FoundPlugins {
  const diagnostics = found.flatMap(({ diagnostics }) => diagnostics);
  const byName = new Map<string, Plugin>();
  for (const plugin of found.flatMap(({ plugins }) => plugins)) {
    const winner = byName.get(plugin.name);
    if (winner === undefined) byName.set(plugin.name, plugin);
    // The same plugin twice is not worth a report.
    else if (winner.root !== plugin.root) {
      const message = `The plugin ${shown(plugin.name)} of ${shown(winner.root)} wins over this one. Rename or disable one of them.`;
      diagnostics.push(
        diagnose(plugin.root, { severity: "warning", code: "shadowed", field: "name", message }),
      );
    }
  }
  return { plugins: [...byName.values()], diagnostics };
}

interface Directory {
  path: string;
  name: string;
}

function directoriesIn(directory: string, diagnostics: Diagnostic[]): Directory[] {
  if (kindOf(directory) !== "directory") return [];
  return listEntries(directory, fullBudget(), diagnostics)
    .map(({ name }) => ({ path: join(directory, name), name }))
    .filter(({ path }) => kindOf(path) === "directory");
}

const nothing: PluginGroup = { plugins: [], diagnostics: [] };

function one({ plugin, diagnostics }: ReturnType<typeof readPlugin>): PluginGroup {
  return { plugins: plugin === null ? [] : [plugin], diagnostics };
}
