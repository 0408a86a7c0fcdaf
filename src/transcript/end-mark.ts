import { closeSync, unlinkSync } from "node:fs";
import { systemCode } from "../contract/errors.ts";
import { openInPrivateDirectory } from "../platform/files/make-directory.ts";

/**
 * Marks an agent whose meta file holds its end, with an empty file, so that lists of open agents need not read the meta
 * file. A missing mark costs a read. A wrong one would hide an agent: it is removed before the agent runs again. Never
 * throws.
 */
export function markEnd(path: string): void {
  try {
    closeSync(openInPrivateDirectory(path, "wx"));
  } catch {
    // The mark exists, or the meta file is read instead.
  }
}

/** Removes the mark; false if there was none. Throws the file system's error. */
export function unmarkEnd(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}
