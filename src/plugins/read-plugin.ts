import { basename, join, resolve } from "node:path";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { realPath } from "../platform/files/real-path.ts";
import { defaultPlaces, findComponents, type Components } from "./components.ts";
import { diagnose } from "./diagnose.ts";
import { nameProblem, readManifest } from "./manifest.ts";
import { isThere } from "./path-inside.ts";
import { fullBudget, walkPlugin } from "./walk-plugin.ts";
import { kindOf } from "../platform/files/kind-of.ts";

/** One installed plugin: its name and the paths of its parts. */
export interface Plugin extends Components {
  readonly name: string;
  /** Real path. */
  readonly root: string;
  /** `name@inline`, `name@user` or `name@marketplace`. */
  readonly source: string;
  readonly version?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** The entry of a plugin in a marketplace, in the fields of a manifest. */
export interface MarketplaceEntry {
  readonly name: string;
  /** Path of the marketplace's file. */
  readonly file: string;
  readonly fields: Record<string, unknown>;
  /** `false`: its fields add to the plugin's own manifest. Without a manifest they always apply. */
  readonly strict: boolean;
}

/** Reads the plugin in a directory; none if its manifest is broken or its name is invalid. Never throws. */
export function readPlugin(
  directory: string,
  origin: { marketplace: string; entry?: MarketplaceEntry },
): { plugin: Plugin | null; diagnostics: Diagnostic[] } {
  const { entry, marketplace } = origin;
  const root = realPath(resolve(directory));
  if (kindOf(root) !== "directory") {
    const message =
      kindOf(directory) === "file"
        ? "A plugin is a directory; archives are not read. Unpack it and name the directory."
        : "There is no such directory. Correct the path of the plugin.";
    const problem = { severity: "error", code: "missing", message } as const;
    return { plugin: null, diagnostics: [diagnose(directory, problem)] };
  }
  const read = readManifest(root);
  if (read.kind === "broken") return { plugin: null, diagnostics: read.diagnostics };
  const own = read.kind === "manifest" ? [{ file: read.file, fields: read.manifest }] : [];
  const added = entry !== undefined && (!entry.strict || own.length === 0) ? [entry] : [];
  const name = own[0]?.fields.name ?? entry?.name ?? basename(resolve(directory));
  const wrong = nameProblem(name);
  if (wrong !== null) {
    const message = `${wrong} Rename the directory or write a manifest.`;
    const problem = { severity: "error", code: "invalid", field: "name", message } as const;
    return { plugin: null, diagnostics: [diagnose(root, problem)] };
  }
  const { components, diagnostics: ofComponents } = findComponents(root, [...own, ...added]);
  const diagnostics = [
    ...(own.length + added.length === 0 && !looksLikePlugin(root) ? [noPlugin(directory)] : []),
    ...(read.kind === "manifest" ? read.diagnostics : []),
    ...ofComponents,
    ...inspect(root, components),
  ];
  const version = own[0]?.fields.version ?? added[0]?.fields["version"];
  const plugin: Plugin = {
    name,
    root,
    source: `${entry?.name ?? name}@${marketplace}`,
    ...(typeof version === "string" ? { version } : {}),
    ...components,
    diagnostics,
  };
  return { plugin, diagnostics };
}

/** Whether an unlisted directory holds a part of a plugin. */
export function looksLikePlugin(directory: string): boolean {
  const parts = [".claude-plugin/plugin.json", ...Object.values(defaultPlaces)];
  return parts.some((part) => isThere(join(directory, part)));
}

function noPlugin(directory: string): Diagnostic {
  const message = "This directory contains no plugin. Name one with agents/ or .claude-plugin/.";
  return diagnose(directory, { severity: "warning", code: "missing", message });
}

/** Reports links that leave the plugin and endless directories once, before anything is loaded from them. */
function inspect(root: string, { agents, skills }: Components): Diagnostic[] {
  const budget = fullBudget();
  return [
    ...agents.flatMap((directory) => walkPlugin({ root, directory, budget })),
    ...skills.flatMap((directory) => walkPlugin({ root, directory, budget, deepest: 1 })),
  ];
}
