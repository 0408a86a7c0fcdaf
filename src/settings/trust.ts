import { createHash } from "node:crypto";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { errorMessage, RetinueError } from "../contract/errors.ts";
import { writeFileAtomic } from "../platform/files/atomic-write.ts";
import { kindOf } from "../platform/files/kind-of.ts";
import { makePrivateDirectory } from "../platform/files/make-directory.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { realPath } from "../platform/files/real-path.ts";
import { mainCheckout } from "./main-checkout.ts";
import { projectFolder } from "./project-folder.ts";

/**
 * Whether a person trusts a folder, so that its settings, hooks and servers act. Trust is for one folder exactly:
 * neither for its parents nor for a project inside it. Each has its own file, so that two writers at once lose nothing.
 */
export function isTrusted(cwd: string, configDir: string): boolean {
  return trustedThrough(cwd, configDir) !== undefined;
}

/** The folder that a person trusted: the project's own, or the main checkout that it is a worktree of. */
export function trustedThrough(cwd: string, configDir: string): string | undefined {
  const folder = projectFolder(cwd);
  if (hasEntry(folder, configDir)) return folder;
  const main = mainCheckout(folder);
  return main !== undefined && hasEntry(main, configDir) ? main : undefined;
}

/** The folder that trusting this directory would apply to. Throws `invalid_request` if there is no directory. */
export function folderToTrust(cwd: string): string {
  if (kindOf(cwd) === "directory") return projectFolder(cwd);
  throw new RetinueError(
    "invalid_request",
    `${cwd} is not a directory. Name a directory of the project to trust.`,
  );
}

/**
 * Trusts the project of a directory and returns its folder. Throws `invalid_request` if there is none, and `storage`.
 */
export async function trustFolder(cwd: string, configDir: string): Promise<string> {
  const folder = folderToTrust(cwd);
  const entry: TrustedFolder = { folder, trustedAt: new Date().toISOString() };
  const directory = storeDirectory(configDir);
  try {
    makePrivateDirectory(directory);
    chmodSync(directory, 0o700);
    await writeFileAtomic(entryFile(folder, configDir), `${JSON.stringify(entry)}\n`, {
      mode: 0o600,
    });
  } catch (error) {
    throw storageError(directory, error);
  }
  return folder;
}

/**
 * Withdraws trust and returns the folder that had it, or nothing. A folder that is gone can be named too, and never
 * means its parent. Throws `storage`.
 */
export function distrustFolder(cwd: string, configDir: string): string | undefined {
  const exact = realPath(cwd);
  const folder =
    hasEntry(exact, configDir) || kindOf(exact) !== "directory" ? exact : projectFolder(exact);
  if (!hasEntry(folder, configDir)) return undefined;
  try {
    rmSync(entryFile(folder, configDir), { force: true });
  } catch (error) {
    throw storageError(storeDirectory(configDir), error);
  }
  return folder;
}

/** Every trusted folder, in alphabetical order; broken entries do not count. */
export function trustedFolders(configDir: string): TrustedFolder[] {
  let names: string[];
  try {
    names = readdirSync(storeDirectory(configDir));
  } catch {
    return [];
  }
  return names
    .flatMap((name) => readEntry(join(storeDirectory(configDir), name), name) ?? [])
    .toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

const entrySchema = z.object({ folder: z.string().min(1), trustedAt: z.string() });

export type TrustedFolder = z.infer<typeof entrySchema>;

const largestEntry = 64 * 1024;

function hasEntry(folder: string, configDir: string): boolean {
  return readEntry(entryFile(folder, configDir), entryName(folder)) !== undefined;
}

/** Reads an entry, if its folder is the one that its name was made from. */
function readEntry(file: string, name: string): TrustedFolder | undefined {
  const read = readSmallFile(file, largestEntry);
  if (read.kind !== "text") return undefined;
  try {
    const entry = entrySchema.parse(JSON.parse(read.text));
    return entryName(entry.folder) === name ? entry : undefined;
  } catch {
    return undefined;
  }
}

function entryFile(folder: string, configDir: string): string {
  return join(storeDirectory(configDir), entryName(folder));
}

function entryName(folder: string): string {
  return `${createHash("sha256").update(folder).digest("hex")}.json`;
}

function storeDirectory(configDir: string): string {
  return join(configDir, "retinue", "trust");
}

function storageError(directory: string, error: unknown): RetinueError {
  return new RetinueError(
    "storage",
    `The list of trusted folders in ${directory} cannot be changed (${errorMessage(error)}). Make it writable.`,
    { cause: error },
  );
}
