import { basename, join } from "node:path";
import { z } from "zod";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { diagnose, shown, type PluginProblem } from "./diagnose.ts";
import { nameProblem, readInside } from "./manifest.ts";
import { isThere, pathInside, pathProblem } from "./path-inside.ts";
import { isObject } from "../platform/is-object.ts";
import type { MarketplaceEntry } from "./read-plugin.ts";

const marketplaceSchema = z.looseObject({
  name: z.string().optional().catch(undefined),
  plugins: z.array(z.unknown()),
  metadata: z
    .looseObject({ pluginRoot: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

export interface Marketplace {
  readonly name: string;
  readonly plugins: readonly MarketplacePlugin[];
  /** Diagnostics of the file as a whole; each plugin has its own. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface MarketplacePlugin {
  readonly entry: MarketplaceEntry;
  /** Real path of its directory inside the marketplace; `null` if it is elsewhere, which `diagnostics` report. */
  readonly root: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

const written = "./.claude-plugin/marketplace.json";

export function isMarketplace(root: string): boolean {
  return isThere(join(root, written));
}

/** Reads `<root>/.claude-plugin/marketplace.json`. The root is a real path. Nothing is fetched. Never throws. */
export function readMarketplace(root: string): Marketplace {
  const file = join(root, written);
  const empty = { name: basename(root), plugins: [] };
  const read = readInside(root, written);
  if (read.kind === "missing") return { ...empty, diagnostics: [] };
  if (read.kind === "broken") return { ...empty, diagnostics: [read.diagnostic] };
  const parsed = marketplaceSchema.safeParse(read.value);
  if (!parsed.success) {
    const message = '\'plugins\' must be a list: [{"name": …, "source": "./…"}].';
    const problem = { severity: "error", code: "invalid", field: "plugins", message } as const;
    return { ...empty, diagnostics: [diagnose(file, problem)] };
  }
  const { name, plugins, metadata } = parsed.data;
  const diagnostics: Diagnostic[] = [];
  const found = plugins.flatMap((value) => {
    const entry = readEntry(file, value);
    if ("problem" in entry) diagnostics.push(diagnose(file, entry.problem));
    return "problem" in entry ? [] : [{ entry, ...locate(root, entry, metadata?.pluginRoot) }];
  });
  const named = nameProblem(name) === null && name !== undefined ? name : empty.name;
  return { name: named, plugins: found, diagnostics };
}

function readEntry(file: string, value: unknown): MarketplaceEntry | { problem: PluginProblem } {
  const name = isObject(value) ? value["name"] : undefined;
  const wrong = nameProblem(name);
  if (!isObject(value) || typeof name !== "string" || wrong !== null) {
    const message = `An entry of 'plugins' is left out: ${wrong}`;
    return { problem: { severity: "error", code: "invalid", field: "plugins", message } };
  }
  return { name, file, fields: value, strict: value["strict"] !== false };
}

function locate(
  root: string,
  { name, file, fields }: MarketplaceEntry,
  pluginRoot: string | undefined,
): Pick<MarketplacePlugin, "root" | "diagnostics"> {
  const { source } = fields;
  const about = (problem: PluginProblem): Diagnostic =>
    diagnose(file, { ...problem, message: `Plugin ${shown(name)}: ${problem.message}` });
  if (typeof source !== "string" || /:\/\/|^git@/.test(source)) {
    const kind: unknown = isObject(source) ? source["source"] : source;
    const message = `its source${typeof kind === "string" ? ` ${shown(kind)}` : ""} is not fetched. Put it into the marketplace and write './…'.`;
    return { root: null, diagnostics: [about({ severity: "info", code: "unsupported", message })] };
  }
  const wrong = pathProblem(source);
  if (wrong !== null)
    return {
      root: null,
      diagnostics: [about({ severity: "error", code: "invalid", message: wrong })],
    };
  const place = pathInside(root, pluginRoot === undefined ? source : `${pluginRoot}/${source}`);
  if (place.kind === "refused") return { root: null, diagnostics: [about(place.problem)] };
  if (pluginRoot !== undefined || /^\.(\/|$)/.test(source))
    return { root: place.path, diagnostics: [] };
  const message = `its source ${shown(source)} is read as './${source}'. Write it that way.`;
  return {
    root: place.path,
    diagnostics: [about({ severity: "info", code: "repaired", message })],
  };
}
