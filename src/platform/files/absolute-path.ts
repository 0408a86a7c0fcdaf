import { resolve } from "node:path";
import { userHome } from "./user-home.ts";

/** A path as people and models write it: `~` is the home directory, and everything else begins at `cwd`. */
export function absolutePath(path: string, cwd: string): string {
  return path === "~" || path.startsWith("~/")
    ? resolve(userHome(), `.${path.slice(1)}`)
    : resolve(cwd, path);
}
