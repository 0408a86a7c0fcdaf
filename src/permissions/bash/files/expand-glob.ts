import { join } from "node:path";
import type { Ground } from "../../ground.ts";
import { globLiteral, hasGlob, matchesName } from "./glob-name.ts";

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
 * The files that a glob finds in a directory, and the pattern itself, which bash passes on where it finds none. `null`: there
 * are too many, some cannot be told, or one has a dash in front, so that a program takes it for an option.
 */
export function expandGlob(
  base: string,
  pattern: string,
  { ground, budget }: { ground: Ground; budget: ListBudget },
): string[] | null {
  const isAbsolute = pattern.startsWith("/");
  let found = [""];
  for (const segment of pattern.split("/").filter((one) => one !== "" && one !== ".")) {
    if (!hasGlob(segment)) {
      found = found.map((below) => join(below, globLiteral(segment)));
      continue;
    }
    // Some versions of bash find the directory above by it.
    if (matchesName(segment, "..")) return null;
    const next: string[] = [];
    for (const below of found) {
      if (budget.lists <= 0 || budget.names <= 0) return null;
      const names = ground.list(join(base, below));
      if (names === null) return null;
      budget.lists -= 1;
      budget.names -= names.length;
      for (const name of names) if (matchesName(segment, name)) next.push(join(below, name));
    }
    if (next.length > mostPaths) return null;
    found = next;
  }
  if (!isAbsolute && found.some((one) => one.startsWith("-"))) return null;
  return [...found, globLiteral(pattern)].map((below) => join(base, below));
}
