import { opendirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { kindOf } from "../platform/files/kind-of.ts";
import { diagnose } from "./diagnose.ts";
import { pathInside } from "./path-inside.ts";

/** The number of entries that may still be read; one for a whole plugin. */
export interface EntryBudget {
  left: number;
}

const mostEntries = 10_000;
const deepestFolder = 32;

export function fullBudget(): EntryBudget {
  return { left: mostEntries };
}

/**
 * Finds problems below a directory of a plugin before anything is loaded from it: links that leave the root,
 * directories that cannot be listed, too many entries. Never throws.
 */
export function walkPlugin(walk: {
  /** Real path. */
  root: string;
  directory: string;
  budget: EntryBudget;
  /** The most levels to descend; default: no limit. */
  deepest?: number;
}): Diagnostic[] {
  const { root, directory, budget, deepest = deepestFolder } = walk;
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  const visit = (at: string, depth: number): void => {
    const place = pathInside(root, join(".", at.slice(root.length)));
    if (place.kind === "refused") {
      diagnostics.push(diagnose(at, place.problem));
      return;
    }
    if (kindOf(place.path) !== "directory" || depth > deepest || seen.has(place.path)) return;
    seen.add(place.path);
    for (const { name } of listEntries(at, budget, diagnostics)) visit(join(at, name), depth + 1);
  };
  visit(directory, 0);
  return diagnostics;
}

/** Entries of a directory, sorted by name, no more than the budget allows. */
export function listEntries(
  directory: string,
  budget: EntryBudget,
  diagnostics: Diagnostic[],
): Dirent[] {
  const entries: Dirent[] = [];
  try {
    using listing = opendirSync(directory);
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      if (budget.left <= 0) {
        // Reported once, not for every directory that follows.
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

const tooMany = {
  severity: "warning",
  code: "invalid",
  message: `There are more than ${mostEntries} entries; the rest is ignored. Remove files that are not part of the plugin.`,
} as const;
