import { existsSync, readdirSync, type Dirent } from "node:fs";
import { basename, join } from "node:path";
import { errorMessage, systemCode } from "../contract/errors.ts";
import { kindOf } from "../platform/files/kind-of.ts";

const none = { files: [], directories: [], problem: null };
const most = 10_000;
/** The most entries of any kind. */
const mostEntries = 100_000;
const deepest = 32;

/**
 * Finds the definition files below a directory, sorted, with the directories that were read. Directories that begin
 * with a dot are skipped unless `hidden`: they hold a program's own state, such as a worktree of an agent. Never
 * throws.
 */
export function findDefinitionFiles(
  directory: string,
  { hidden = false }: { hidden?: boolean } = {},
): {
  files: string[];
  directories: string[];
  /** Reason why there may be more than was found. */
  problem: string | null;
} {
  // Most places do not exist, and creating an error takes twenty times as long.
  if (!existsSync(directory)) return none;
  const files: string[] = [];
  const directories: string[] = [];
  let problem: string | null = null;
  let entriesLeft = mostEntries;
  const look = (at: string, depth: number): void => {
    const entries = list(at);
    if (typeof entries === "string") return void (problem ??= entries);
    if (entries === null) return;
    directories.push(at);
    for (const entry of entries) {
      const path = join(at, entry.name);
      entriesLeft -= 1;
      if (entriesLeft < 0)
        return void (problem = `There are more than ${mostEntries} entries here; the rest is not read. Move entries that are not agents elsewhere.`);
      if (files.length >= most)
        return void (problem = `There are more than ${most} files here; the rest is not read. Move files that are not agents elsewhere.`);
      if (entry.isDirectory() && !hidden && entry.name.startsWith(".")) {
        if (holdsDefinitions(path))
          problem ??= `${path} begins with a dot and is not read. Move its files.`;
      } else if (entry.isDirectory()) {
        if (depth < deepest) look(path, depth + 1);
        else problem ??= `Folders deeper than ${deepest} levels are not read. Move their files up.`;
      } else if (entry.name.endsWith(".md")) files.push(path);
      else if (entry.isSymbolicLink() && kindOf(path) === "directory")
        problem ??= `${path} is a link to a folder. Such links are not followed; copy the folder.`;
    }
  };
  look(directory, 1);
  return { files: files.toSorted(), directories, problem };
}

/** Whether a directory may hold definitions; those of git do not. */
function holdsDefinitions(directory: string): boolean {
  if (basename(directory).startsWith(".git")) return false;
  const entries = list(directory);
  return Array.isArray(entries) && entries.some(({ name }) => name.endsWith(".md"));
}

function list(directory: string): Dirent[] | string | null {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    return `The directory cannot be read: ${errorMessage(error)}. Check its permissions.`;
  }
}
