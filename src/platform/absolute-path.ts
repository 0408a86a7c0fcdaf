import { resolve } from "node:path";
import { userHome } from "./user-home.ts";

/** What Node's `resolve` would change in an absolute path. It looks at every character, for each call of a tool. */
const untidy = /\/\.{0,2}(?:\/|$)/;

/** A path as people and models write it: `~` is the home directory, and everything else begins at `cwd`. */
export function absolutePath(path: string, cwd: string): string {
  if (path.startsWith("/") && !untidy.test(path)) return path;
  return path === "~" || path.startsWith("~/")
    ? resolve(userHome(), `.${path.slice(1)}`)
    : resolve(cwd, path);
}
