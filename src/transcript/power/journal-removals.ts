import { appendFileSync, closeSync, constants, existsSync, fsyncSync, rmSync } from "node:fs";
import { dirname, relative } from "node:path";
import { openInPrivateDirectory } from "../../platform/files/make-directory.ts";
import { readSmallFile } from "../../platform/files/read-small-file.ts";
import { syncDirectory } from "./sync-files.ts";

/** A power journal and the directory that it is about. */
interface JournalPlace {
  path: string;
  root: string;
}

/**
 * Says that files which another process has in its journal are about to be removed, beside the journal, because that one
 * alone writes to it. Without a journal nothing would bring them back. Throws the file system's error.
 */
export function keepAway({ path, root }: JournalPlace, files: readonly string[]): void {
  if (!existsSync(path)) return;
  const names = files.map((file) => `${JSON.stringify(relative(root, file))}\n`);
  const list = openInPrivateDirectory(listOf(path), appending);
  try {
    appendFileSync(list, names.join(""));
    fsyncSync(list);
  } finally {
    closeSync(list);
  }
  syncDirectory(dirname(path));
}

/** The files that were removed by other processes, relative to the journal's directory. */
export function keptAway(path: string): Set<unknown> {
  const read = readSmallFile(listOf(path), largest);
  const lines = read.kind === "text" ? read.text.split("\n") : [];
  return new Set(lines.map(nameIn));
}

/** With the journal goes what is said of it. */
export function dropJournal(path: string): void {
  rmSync(path, { force: true });
  rmSync(listOf(path), { force: true });
  syncDirectory(dirname(path));
}

const appending =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
const largest = 64 * 1024 * 1024;

function listOf(path: string): string {
  return `${path}.removed`;
}

function nameIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
