import { join } from "node:path";
import type { Ground } from "../ground.ts";
import { matchesSegment } from "../path-rule.ts";

/** More than these are not worth telling apart. */
export const mostPaths = 400;
/** How much of the disk all patterns of a command may list: a stranger must not keep it busy. */
export interface ListBudget {
  lists: number;
  names: number;
}

export function listBudget(): ListBudget {
  return { lists: 64, names: 2000 };
}

/**
 * The files that an unquoted glob finds, and the path itself, which bash passes on where it finds none. Where there are too
 * many to look at, more than `mostPaths`.
 */
export function expandGlob(
  path: string,
  { ground, showsHidden, budget }: { ground: Ground; showsHidden: boolean; budget: ListBudget },
): string[] {
  let found = ["/"];
  for (const segment of path.split("/").filter((one) => one !== "")) {
    if (!/[*?[]/.test(segment)) {
      found = found.map((directory) => join(directory, segment));
      continue;
    }
    // Where a class ends depends on quotes: rather too many files than too few.
    const pattern = segment.replace(/\[.*$/s, "*");
    const next: string[] = [];
    for (const directory of found) {
      if (budget.lists <= 0 || budget.names <= 0) return tooMany(path);
      const there = ground.list(directory);
      budget.lists -= 1;
      budget.names -= there.length;
      for (const name of there) {
        const isHidden = name.startsWith(".") && !segment.startsWith(".") && !showsHidden;
        if (!isHidden && matchesSegment(pattern, name)) next.push(join(directory, name));
      }
    }
    if (next.length > mostPaths) return next;
    found = next;
  }
  return [...found, path];
}

function tooMany(path: string): string[] {
  return Array<string>(mostPaths + 1).fill(path);
}
