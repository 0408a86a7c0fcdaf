import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** The path after resolving every link, also when its last parts do not exist yet, dangling links included. */
export async function realPath(path: string, depth = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || depth > 40) return path;
    const isLink = await lstat(path).then(
      (info) => info.isSymbolicLink(),
      () => false,
    );
    if (isLink)
      return realPath(resolve(await realPath(parent, depth + 1), await readlink(path)), depth + 1);
    return join(await realPath(parent, depth + 1), basename(path));
  }
}
