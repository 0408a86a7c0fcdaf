import { mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "../../contract/errors.ts";

/**
 * Makes a directory and its missing parents, private ones. Throws the file system's error. Goes step by step, because
 * Node's own recursive form never returns where the file system answers ENOENT to every attempt (below /proc).
 */
export function makePrivateDirectory(path: string): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST" || !isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Opens a file, and makes its directory first only if it is missing. So the usual case costs nothing. */
export function openInPrivateDirectory(path: string, flags: string | number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    makePrivateDirectory(dirname(path));
    return openSync(path, flags, 0o600);
  }
}
