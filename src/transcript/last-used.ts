import { lstat, readdir } from "node:fs/promises";
import { unlessGone } from "../platform/files/remove-tree.ts";

/**
 * The time of the newest write in these trees, and their size; nothing as soon as one file is not older than `before`,
 * or where there is no file. Links are not followed and count for nothing.
 */
export async function measure(
  paths: readonly string[],
  before: number,
): Promise<{ lastUsed: number; bytes: number } | undefined> {
  const open = [...paths];
  let lastUsed = 0;
  let bytes = 0;
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    const at = path;
    const info = await unlessGone(() => lstat(at));
    if (info?.isDirectory() === true) {
      const names = await unlessGone(() => readdir(at));
      for (const name of names ?? []) open.push(`${at}/${name}`);
    } else if (info !== undefined && !info.isSymbolicLink()) {
      if (info.mtimeMs >= before) return undefined;
      lastUsed = Math.max(lastUsed, Math.floor(info.mtimeMs));
      bytes += info.size;
    }
  }
  return lastUsed === 0 ? undefined : { lastUsed, bytes };
}
