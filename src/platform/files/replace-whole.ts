import { closeSync, renameSync, rmSync } from "node:fs";
import { systemCode } from "../../contract/errors.ts";
import { openInPrivateDirectory } from "./make-directory.ts";
import { writeWhole } from "./write-whole.ts";

/** The file has this text as a whole or is as it was, whenever the process is killed. Returns how many bytes that are. */
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

/** Makes a file that is not there yet; nothing is left of one that finds no room. */
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

/** Also where a process that was killed before it renamed its own file left one. */
export function writeAnew(path: string, text: string): number {
  try {
    return writeNew(path, text);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    rmSync(path, { force: true });
    return writeNew(path, text);
  }
}
