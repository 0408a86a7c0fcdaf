import { join } from "node:path";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { diagnose, shown, type PluginProblem } from "./diagnose.ts";
import { isThere, pathInside } from "./path-inside.ts";
import { isObject } from "../platform/is-object.ts";
import { kindOf } from "../platform/files/kind-of.ts";

/** The parts of a plugin, as paths and data. Nothing in it has been read or acted on; all paths are real. */
export interface Components {
  /** Paths of files or directories. */
  readonly agents: string[];
  /** Directories of skills, or of one skill. */
  readonly skills: string[];
  /** Paths of files or directories. */
  readonly commands: string[];
  readonly hooks: PluginData[];
  readonly mcpServers: PluginData[];
}

/** A JSON file, or data in the manifest itself. */
export type PluginData =
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "inline"; readonly data: Record<string, unknown> };

/** Default places of parts. Paths in the manifest add to them. */
export const defaultPlaces = {
  agents: "./agents",
  skills: "./skills",
  commands: "./commands",
  hooks: "./hooks/hooks.json",
  mcpServers: "./.mcp.json",
} as const satisfies Record<keyof Components, string>;

type ComponentField = keyof Components;

/**
 * Finds the default places that exist, then the paths that each manifest names. Refused paths are reported and left
 * out.
 */
export function findComponents(
  root: string,
  manifests: readonly { file: string; fields: Record<string, unknown> }[],
): { components: Components; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const find = (field: ComponentField): PluginData[] => {
    const found: PluginData[] = [];
    const add = (file: string, written: string): void => {
      const taken = take(root, field, written);
      diagnostics.push(...taken.problems.map((one) => diagnose(file, { ...one, field })));
      if (taken.path === undefined || found.some((one) => isFile(one, taken.path))) return;
      found.push({ kind: "file", file: taken.path });
    };
    const standard = join(root, defaultPlaces[field]);
    if (isThere(standard)) add(standard, defaultPlaces[field]);
    for (const { file, fields } of manifests) {
      const { paths, inline, problems } = readValue(field, fields[field]);
      diagnostics.push(...problems.map((one) => diagnose(file, { ...one, field })));
      for (const written of paths) add(file, written);
      found.push(...inline.map((data) => ({ kind: "inline", data }) as const));
    }
    return found;
  };
  const paths = (field: ComponentField): string[] =>
    find(field).flatMap((one) => (one.kind === "file" ? [one.file] : []));
  const components = {
    agents: paths("agents"),
    skills: paths("skills"),
    commands: paths("commands"),
    hooks: find("hooks"),
    mcpServers: find("mcpServers"),
  };
  return { components, diagnostics };
}

function take(
  root: string,
  field: ComponentField,
  written: string,
): { path?: string; problems: PluginProblem[] } {
  const place = pathInside(root, written);
  if (place.kind === "refused") return { problems: [place.problem] };
  const kind = kindOf(place.path);
  if (!fits[field](kind, place.path)) {
    const message = `${shown(written)} is left out: '${field}' takes ${wanted[field]}.`;
    return { problems: [{ severity: "error", code: "invalid", message }] };
  }
  if (/^\.(\/|\\|$)/.test(written)) return { path: place.path, problems: [] };
  const message = `${shown(written)} is read as './${written}'. Write it that way.`;
  return { path: place.path, problems: [{ severity: "info", code: "repaired", message }] };
}

type PathCheck = (kind: ReturnType<typeof kindOf>, path: string) => boolean;

const markdownOrDirectory: PathCheck = (kind, path) =>
  kind === "directory" || (kind === "file" && path.endsWith(".md"));
const fits: Record<ComponentField, PathCheck> = {
  agents: markdownOrDirectory,
  skills: (kind) => kind === "directory",
  commands: markdownOrDirectory,
  hooks: (kind) => kind === "file",
  mcpServers: (kind) => kind === "file",
};
const wanted: Record<ComponentField, string> = {
  agents: "directories and .md files",
  skills: "directories",
  commands: "directories and .md files",
  hooks: "a JSON file or an object",
  mcpServers: "a JSON file or an object",
};

interface Written {
  paths: string[];
  inline: Record<string, unknown>[];
  problems: PluginProblem[];
}

/** Reads a text, a list or an object, as people write it. */
function readValue(field: ComponentField, value: unknown): Written {
  const written: Written = { paths: [], inline: [], problems: [] };
  if (value === undefined || value === null) return written;
  const holdsData = field === "hooks" || field === "mcpServers";
  // Commands may be written as `{"name": {"source": "./file.md"}}`.
  const named = !holdsData && isObject(value);
  const items = Array.isArray(value) ? value : named ? Object.values(value) : [value];
  for (const item of items) {
    const path: unknown = !holdsData && isObject(item) ? item["source"] : item;
    if (typeof path === "string" && path.includes("://")) written.problems.push(notFetched(path));
    else if (typeof path === "string") written.paths.push(path);
    else if (holdsData && isObject(item)) written.inline.push(item);
    else
      written.problems.push({
        severity: "error",
        code: "invalid",
        message: `An entry of '${field}' is left out: it takes ${wanted[field]}, written as './…'.`,
      });
  }
  return written;
}

function notFetched(url: string): PluginProblem {
  const message = `${shown(url)} is not fetched. Put the file into the plugin and name it './…'.`;
  return { severity: "warning", code: "unsupported", message };
}

function isFile(one: PluginData, path: string | undefined): boolean {
  return one.kind === "file" && one.file === path;
}
