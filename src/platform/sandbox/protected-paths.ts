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

/** Stand-ins for absent files while a command runs; the library adds two of its own. */
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

/** Depth below the root to which existing paths are searched; hardly any program reads deeper ones. */
const depth = 3;
const mostDirectories = 5000;
const passedOver: ReadonlySet<string> = new Set(["node_modules"]);

/**
 * The protected paths. Directly in the root also missing ones, so that no command creates them, if an empty one does no
 * harm; below the root only existing ones. Shallow directories are searched first.
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

/**
 * The protected paths of git. A file or a link `.git` names the repository: to change it would be to install other
 * hooks.
 */
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
