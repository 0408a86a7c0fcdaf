import { opendirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../diagnostic.ts";
import { diagnose } from "./diagnose.ts";
import { pathInside } from "./path-inside.ts";

export interface PluginFile {
  file: string;
  /** Names of the folders between the directory and the file. */
  folders: string[];
}

/** Entries that may still be looked at; one for a whole plugin. */
export interface Budget {
  left: number;
}

const mostEntries = 10_000;
const deepestFolder = 32;

export function fullBudget(): Budget {
  return { left: mostEntries };
}

/**
 * The regular files below a directory of a plugin, sorted by path, hidden ones too. Links are followed as long as they
 * stay inside the root. Never throws.
 */
export function walkPlugin(walk: {
  /** Real. */
  root: string;
  directory: string;
  budget: Budget;
  /** How many folders down; as far as they go without it. */
  deepest?: number;
}): { files: PluginFile[]; diagnostics: Diagnostic[] } {
  const { root, directory, budget, deepest = deepestFolder } = walk;
  const files: PluginFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  const visit = (at: string, folders: string[]): void => {
    const place = pathInside(root, join(".", at.slice(root.length)));
    if (place.kind === "refused") {
      diagnostics.push(diagnose(at, place.problem));
      return;
    }
    const kind = kindOf(place.path);
    if (kind === "file") files.push({ file: place.path, folders: folders.slice(0, -1) });
    if (kind !== "directory" || folders.length > deepest || seen.has(place.path)) return;
    seen.add(place.path);
    for (const { name } of listEntries(at, budget, diagnostics))
      visit(join(at, name), [...folders, name]);
  };
  visit(directory, []);
  return { files: files.toSorted((a, b) => (a.file < b.file ? -1 : 1)), diagnostics };
}

/** What a directory holds, sorted by name, no more than the budget allows. */
export function listEntries(
  directory: string,
  budget: Budget,
  diagnostics: Diagnostic[],
): Dirent[] {
  const entries: Dirent[] = [];
  try {
    using listing = opendirSync(directory);
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      if (budget.left <= 0) {
        // Said once, not for every directory that follows.
        if (budget.left === 0) diagnostics.push(diagnose(directory, tooMany));
        budget.left = -1;
        break;
      }
      budget.left -= 1;
      entries.push(entry);
    }
  } catch (error) {
    const message = `The directory cannot be listed: ${String(error)}. Check its permissions.`;
    diagnostics.push(diagnose(directory, { severity: "error", code: "unreadable", message }));
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function kindOf(path: string): "file" | "directory" | "other" {
  try {
    const stats = statSync(path);
    return stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other";
  } catch {
    return "other";
  }
}

const tooMany = {
  severity: "warning",
  code: "invalid",
  message: `There are more than ${mostEntries} entries; the rest is not looked at. Remove what is no part of the plugin.`,
} as const;
