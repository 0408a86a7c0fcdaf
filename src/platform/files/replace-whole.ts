import { closeSync, renameSync, rmSync } from "node:fs";
import { systemCode } from "../../contract/errors.ts";
import { openInPrivateDirectory } from "./make-directory.ts";
import { writeWhole } from "./write-whole.ts";

/**
 * Replaces a file whole: it has this text or is unchanged, whenever the process is killed. Returns the number of bytes.
 */
export function replaceWhole(path: string, text: string): number {
  const next = `${path}.${process.pid}.new`;
  const size = writeAnew(next, text);
  try {
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
  return size;
}

/** Makes a file that does not exist yet; leaves nothing if the disk has no room. */
export function writeNew(path: string, text: string): number {
  const file = openInPrivateDirectory(path, "wx");
  try {
    return writeWhole(file, text, 0);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Writes a new file, also over one that a killed process left before it could rename it. */
export function writeAnew(path: string, text: string): number {
  try {
    return writeNew(path, text);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    rmSync(path, { force: true });
    return writeNew(path, text);
  }
}
