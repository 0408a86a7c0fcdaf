import { existsSync, readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { kindOf } from "../kind-of.ts";
import { harmlessWhenEmpty, protectedDirectories, protectedFiles } from "../protected-names.ts";

/*
 * What a sandboxed command may not write even below the working directory, because programs outside the sandbox act on it.
 * Of `.git` only what git runs or obeys, for a command must be able to commit.
 */

/** What stands for something absent while a command runs; the library adds two of its own. */
export const placeholders: readonly string[] = [
  ...harmlessWhenEmpty,
  ".claude/agents",
  ".claude/commands",
];

/** Of `.git` and `.config` only a part is meant. */
const names: ReadonlySet<string> = new Set(
  [...protectedDirectories, ...protectedFiles].filter(
    (name) => !/^\.(?:git|config\/git)$/.test(name),
  ),
);

/** Directories below the root in which existing paths are looked for; deeper ones are hardly read by any program. */
const depth = 3;
const mostDirectories = 5000;
const passedOver: ReadonlySet<string> = new Set(["node_modules"]);

/** Directly in the root also those that do not exist, so that nobody makes them, if an empty one does no harm; below it those that do. */
export function protectedPaths(root: string): string[] {
  const found = harmlessWhenEmpty.map((name) => join(root, name));
  let looked = 0;
  const look = (directory: string, left: number): void => {
    looked += 1;
    for (const entry of entriesOf(directory)) {
      const path = join(directory, entry.name);
      if (names.has(entry.name)) found.push(path);
      else if (entry.name === ".git") found.push(...ofGit(path));
      else if (entry.name === ".config") found.push(...existing(join(path, "git")));
      else if (
        entry.isDirectory() &&
        left > 0 &&
        looked < mostDirectories &&
        !passedOver.has(entry.name)
      )
        look(path, left - 1);
    }
  };
  look(root, depth);
  return [...new Set(found)];
}

/** A file or a link says where the repository is, and to say another would be to bring other hooks. */
function ofGit(path: string): string[] {
  if (kindOf(path) !== "directory") return [path];
  return [...existing(path, "config.worktree"), join(path, "hooks"), join(path, "config")];
}

function existing(...parts: string[]): string[] {
  const path = join(...parts);
  return existsSync(path) ? [path] : [];
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
