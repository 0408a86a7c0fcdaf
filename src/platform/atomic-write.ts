import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import {
  access,
  chmod,
  chown,
  constants,
  mkdir,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { RetinueError, systemCode } from "../errors.ts";
import { realPath } from "./real-path.ts";

/**
 * Replaces a file in one step, so that a reader sees the old content or the new, never half of it. A symlink keeps
 * pointing where it did, a file keeps its mode and owner, missing parent directories are made, and after a failure
 * nothing is left behind. Throws the file system's error.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  const target = realPath(path);
  const existing = await replaceable(target);
  const mode = options.mode ?? (existing && existing.mode & 0o7777);

  const directory = dirname(target);
  // Directories made for a private file are private too.
  const isPrivate = mode !== undefined && (mode & 0o077) === 0;
  await mkdir(directory, { recursive: true, mode: isPrivate ? 0o700 : 0o777 });
  const temporary = join(directory, `.retinue-${randomBytes(8).toString("hex")}.tmp`);
  try {
    await writeFile(temporary, data, { flag: "wx", mode: mode ?? 0o666 });
    // Root may give the file back to its owner; nobody else can, and nobody else needs to.
    if (existing) await chown(temporary, existing.uid, existing.gid).catch(() => {});
    if (mode !== undefined) await chmod(temporary, mode);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * `rename` asks only the directory for permission and replaces anything but a directory: without this check a
 * read-only file would be overwritten, and `/dev/null` would become a plain file.
 */
async function replaceable(target: string): Promise<Stats | undefined> {
  let existing: Stats;
  try {
    existing = await stat(target);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  if (!existing.isFile()) {
    throw new RetinueError("storage", `${target} is not a regular file. Choose another path.`);
  }
  await access(target, constants.W_OK);
  return existing;
}
