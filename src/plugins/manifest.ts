import { join } from "node:path";
import { z } from "zod";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { diagnose, shown } from "./diagnose.ts";
import { isThere, pathInside } from "./path-inside.ts";
import { readJsonFile, type JsonFile } from "./read-json-file.ts";

const text = z.string().optional().catch(undefined);

/** The fields of a plugin's manifest that are read. Unknown fields are ignored: people invent many. */
export const manifestSchema = z.looseObject({
  name: z.string(),
  version: text,
  description: text,
  author: z
    .union([z.string(), z.looseObject({ name: text, email: text, url: text })])
    .optional()
    .catch(undefined),
});

export type PluginManifest = z.infer<typeof manifestSchema>;

export type ManifestFile =
  | { kind: "manifest"; file: string; manifest: PluginManifest; diagnostics: Diagnostic[] }
  /** There is no manifest: the plugin has the name of its directory. */
  | { kind: "none" }
  | { kind: "broken"; diagnostics: Diagnostic[] };

/** Reads `<root>/.claude-plugin/plugin.json`. The root is a real path. Never throws. */
export function readManifest(root: string): ManifestFile {
  const file = join(root, ".claude-plugin", "plugin.json");
  const read = readInside(root, "./.claude-plugin/plugin.json");
  if (read.kind === "missing") return { kind: "none" };
  if (read.kind === "broken") return { kind: "broken", diagnostics: [read.diagnostic] };
  const name = read.value["name"];
  const wrong = nameProblem(name);
  if (wrong !== null) {
    const problem = { severity: "error", code: "invalid", field: "name", message: wrong } as const;
    return { kind: "broken", diagnostics: [diagnose(file, problem)] };
  }
  const manifest = manifestSchema.parse(read.value);
  return {
    kind: "manifest",
    file,
    manifest,
    diagnostics: [...read.diagnostics, ...oddName(file, manifest.name)],
  };
}

/** Reads a JSON file of a plugin or marketplace, unless a link leads out of the root. */
export function readInside(root: string, written: string): JsonFile {
  const file = join(root, written);
  if (!isThere(file)) return { kind: "missing" };
  const place = pathInside(root, written);
  if (place.kind === "refused")
    return { kind: "broken", diagnostic: diagnose(file, place.problem) };
  const read = readJsonFile(place.path);
  return read.kind === "broken"
    ? { kind: "broken", diagnostic: { ...read.diagnostic, file } }
    : read;
}

/**
 * The problem of a name. Names become part of `plugin:agent` and are displayed; a name must not look like a path or an
 * option.
 */
export function nameProblem(name: unknown): string | null {
  if (typeof name !== "string" || name === "") return "'name' must be a non-empty text.";
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name))
    return "'name' must not contain control characters.";
  if (/[:/]/.test(name)) return `'name' must not contain ':' or '/': ${shown(name)}.`;
  if (/^[-.]/.test(name)) return `'name' must not start with '-' or '.': ${shown(name)}.`;
  return null;
}

function oddName(file: string, name: string): Diagnostic[] {
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return [];
  const message = `The name ${shown(name)} is used as it is; plugin names are usually written like-this.`;
  return [diagnose(file, { severity: "info", code: "repaired", field: "name", message })];
}
