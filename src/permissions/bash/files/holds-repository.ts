import { basename, join } from "node:path";
import type { Ground } from "../../ground.ts";

const deepest = 4;
const mostDirectories = 2000;

/** Whether a directory, or one of those in it, may be the root of a git repository. Installed packages are passed over. */
export function holdsRepository(directory: string, ground: Ground): boolean {
  let level = [directory].filter(isOwn);
  let looked = 0;
  for (let depth = 0; depth <= deepest; depth += 1) {
    const below: string[] = [];
    for (const one of level) {
      looked += 1;
      const names = ground.list(one);
      if (looked > mostDirectories || names === null || names.includes(".git")) return true;
      below.push(...names.map((name) => join(one, name)).filter(isOwn));
    }
    level = below.filter((path) => !ground.isFile(path));
  }
  return false;
}

const isOwn = (path: string): boolean => basename(path) !== "node_modules";
