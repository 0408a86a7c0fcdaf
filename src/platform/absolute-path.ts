import { homedir } from "node:os";
import { resolve } from "node:path";

/** A path as people and models write it: `~` is the home directory, and everything else begins at `cwd`. */
export function absolutePath(path: string, cwd: string): string {
  return path === "~" || path.startsWith("~/")
    ? resolve(homedir(), `.${path.slice(1)}`)
    : resolve(cwd, path);
}
