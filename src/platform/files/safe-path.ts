import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "./is-inside.ts";
import { realPath } from "./real-path.ts";

/**
 * The PATH without directories that a folder can fill: relative ones, and those inside it, such as the `node_modules/.bin` that
 * `npx` puts first. A program of the system by its name is that program then, whatever the folder holds.
 */
export function safePath(path: string | undefined, folders: readonly string[]): string {
  const within = folders.flatMap((folder) => [folder, realPath(folder)]);
  const isSafe = (entry: string): boolean =>
    isAbsolute(entry) &&
    ![entry, realPath(entry)].some((one) => within.some((folder) => isInside(folder, one)));
  return (path ?? "").split(delimiter).filter(isSafe).join(delimiter);
}

/** The file of a program on such a path; the name alone where there is none. */
export function programOn(path: string, name: string): string {
  const files = path.split(delimiter).map((directory) => join(directory, name));
  return files.find(isExecutable) ?? name;
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
