import { randomBytes } from "node:crypto";
import { accessSync, constants, fchmodSync, fchownSync, lstatSync, type Stats } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { RetinueError, systemCode } from "../../contract/errors.ts";
import { holdDirectory, type HeldDirectory } from "./hold-directory.ts";
import { linkInTheWay } from "./open-decided.ts";
import { realPath, unknownPath } from "./real-path.ts";

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
  const real = realPath(path);
  // The system reports the problem of a path that cannot be read.
  await writeDecided(real === unknownPath ? path : real, data, options);
}

/**
 * The same for a path that was decided on: `target` is the result of `realPath` at that time. It is not resolved again,
 * and every step happens inside its directory by descriptor. Throws `PathChanged` when it leads elsewhere now.
 */
export async function writeDecided(
  target: string,
  data: string | Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  // Directories made for a private file are private too.
  const isPrivate = options.mode !== undefined && (options.mode & 0o077) === 0;
  using directory = holdDirectory(dirname(target), isPrivate ? 0o700 : 0o777);
  const existing = replaceable(directory, target);
  const mode = options.mode ?? (existing && existing.mode & 0o7777);

  const temporary = directory.at(`.retinue-${randomBytes(8).toString("hex")}.tmp`);
  try {
    await writeNew(temporary, data, { mode, owner: existing });
    await rename(temporary, directory.at(basename(target)));
  } catch (error) {
    await rm(temporary, { force: true });
    throw directory.named(error);
  }
}

/** Writes a new file. Mode and owner are set by descriptor: by name they could reach a file behind a link. */
async function writeNew(
  path: string,
  data: string | Uint8Array,
  { mode, owner }: { mode: number | undefined; owner: Stats | undefined },
): Promise<void> {
  await using file = await open(path, "wx", mode ?? 0o666);
  await file.writeFile(data);
  if (owner !== undefined) giveTo(file.fd, owner);
  if (mode !== undefined) fchmodSync(file.fd, mode);
}

/** Gives the file back to its owner, as root may; other users cannot, and need not. */
function giveTo(descriptor: number, { uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid);
  } catch {
    // The file stays with its writer.
  }
}

/**
 * `rename` asks only the directory for permission and replaces anything but a directory: without this check a
 * read-only file would be overwritten, and `/dev/null` would become a plain file.
 */
function replaceable(directory: HeldDirectory, target: string): Stats | undefined {
  const path = directory.at(basename(target));
  try {
    const existing = lstatSync(path);
    if (existing.isSymbolicLink()) throw linkInTheWay(target);
    if (!existing.isFile()) {
      throw new RetinueError("storage", `${target} is not a regular file. Choose another path.`);
    }
    accessSync(path, constants.W_OK);
    return existing;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw directory.named(error);
  }
}
