import { basename, join } from "node:path";
import type { Ground } from "../../ground.ts";

const mostDirectories = 2000;

/** Down to here too many directories count as a repository; deeper ones are what builds and installed packages leave. */
const knownDepth = 4;

/** Whether a directory, or one of those in it, may be the root of a git repository. Installed packages are passed over. */
export function holdsRepository(directory: string, ground: Ground): boolean {
  let level = [directory].filter(isOwn);
  let looked = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    const below: string[] = [];
    for (const one of level) {
      looked += 1;
      if (looked > mostDirectories) return depth <= knownDepth;
      const names = ground.list(one);
      if (names === null || isRepository(names)) return true;
      below.push(...names.map((name) => join(one, name)).filter(isOwn));
    }
    level = below.filter((path) => !ground.isFile(path));
  }
  return false;
}

function isRepository(names: readonly string[]): boolean {
  return (
    names.includes(".git") || ["HEAD", "objects", "refs"].every((name) => names.includes(name))
  );
}

const isOwn = (path: string): boolean => basename(path) !== "node_modules";
