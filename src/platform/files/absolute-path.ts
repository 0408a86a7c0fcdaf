import { resolve } from "node:path";
import { userHome } from "./user-home.ts";

/**
 * The absolute form of a path that a person or model wrote: `~` is the home directory, and relative paths begin at
 * `cwd`.
 */
export function absolutePath(path: string, cwd: string): string {
  return path === "~" || path.startsWith("~/")
    ? resolve(userHome(), `.${path.slice(1)}`)
    : resolve(cwd, path);
}
