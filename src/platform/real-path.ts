import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The path after resolving every link, also when its last parts do not exist yet, dangling links included. */
export function realPath(path: string, depth = 0): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || depth > 40) return path;
    if (isLink(path))
      return realPath(resolve(realPath(parent, depth + 1), readlinkSync(path)), depth + 1);
    return join(realPath(parent, depth + 1), basename(path));
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    // A part of the path is a file.
    return false;
  }
}
