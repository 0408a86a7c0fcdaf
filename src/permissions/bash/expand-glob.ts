import { join } from "node:path";
import type { Ground } from "../ground.ts";
import { matchesSegment } from "../path-rule.ts";

/** More than these are not worth telling apart. */
export const mostPaths = 1000;
/** A pattern of a stranger must not list a whole disk. */
const mostLists = 64;
const mostNames = 5000;

/**
 * The files that an unquoted glob finds, and the path itself, which bash passes on where it finds none. Where there are too
 * many to look at, more than `mostPaths`.
 */
export function expandGlob(path: string, ground: Ground, showsHidden: boolean): string[] {
  let found = ["/"];
  let [lists, names] = [0, 0];
  for (const segment of path.split("/").filter((one) => one !== "")) {
    if (!/[*?[]/.test(segment)) {
      found = found.map((directory) => join(directory, segment));
      continue;
    }
    // Where a class ends depends on quotes: rather too many files than too few.
    const pattern = segment.replace(/\[.*$/s, "*");
    const next: string[] = [];
    for (const directory of found) {
      const there = ground.list(directory);
      lists += 1;
      names += there.length;
      if (lists > mostLists || names > mostNames) return tooMany(path);
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
