import { existsSync, type Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { filesAtOnce, mapAtMost } from "../gate.ts";
import { kindOf } from "../files/kind-of.ts";
import {
  harmlessWhenEmpty,
  protectedDirectories,
  protectedFiles,
} from "../files/protected-names.ts";

/*
 * What a sandboxed command may not write even below the working directory, because programs outside the sandbox act on it.
 * Of `.git` only what git runs or obeys, for a command must be able to commit.
 */

/** A stand-in for something absent while a command runs; the library adds two of its own. */
export const placeholders: readonly string[] = [
  ...harmlessWhenEmpty,
  ".claude/agents",
  ".claude/commands",
];

/** Parts of `.git` and `.config` that are protected. */
const names: ReadonlySet<string> = new Set(
  [...protectedDirectories, ...protectedFiles].filter(
    (name) => !/^\.(?:git|config\/git)$/.test(name),
  ),
);

/** Directories below the root in which existing paths are looked for; deeper ones are hardly read by any program. */
const depth = 3;
const mostDirectories = 5000;
const passedOver: ReadonlySet<string> = new Set(["node_modules"]);

/**
 * Directly in the root also those that do not exist, so that nobody makes them, if an empty one does no harm; below it those that
 * do. Shallow directories are looked into first.
 */
export async function protectedPaths(root: string): Promise<string[]> {
  const found = harmlessWhenEmpty.map((name) => join(root, name));
  let level = [root];
  let left = mostDirectories;
  for (let below = 0; below <= depth && level.length > 0; below += 1) {
    const next: string[] = [];
    const directories = level.slice(0, left);
    left -= directories.length;
    const listed = await mapAtMost(filesAtOnce, directories, entriesOf);
    for (const { path, entry } of listed.flat()) {
      if (names.has(entry.name)) found.push(path);
      else if (entry.name === ".git") found.push(...ofGit(path));
      else if (entry.name === ".config") found.push(...existing(join(path, "git")));
      else if (entry.isDirectory() && !passedOver.has(entry.name)) next.push(path);
    }
    level = next;
  }
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

async function entriesOf(directory: string): Promise<{ path: string; entry: Dirent }[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((): Dirent[] => []);
  return entries.map((entry) => ({ path: join(directory, entry.name), entry }));
}
