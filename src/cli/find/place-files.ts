import type { Stats } from "node:fs";
import { access, constants, lstat, mkdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorMessage, RetinueError, systemCode } from "../../contract/errors.ts";
import { writeFileAtomic } from "../../platform/files/atomic-write.ts";
import { isInside } from "../../platform/files/is-inside.ts";
import { makePrivateDirectory } from "../../platform/files/make-directory.ts";
import { realPath } from "../../platform/files/real-path.ts";

export interface PlacedFile {
  path: string;
  /** `kept`: a file was there before, and is unchanged. */
  state: "written" | "kept";
}

/**
 * Puts files below a directory and never replaces one. Every path is checked before the first file is written, and a
 * later failure undoes everything, so that a person finds all of it or nothing. Throws `storage`.
 */
export async function placeFiles(
  root: string,
  files: readonly { path: string; content: Uint8Array }[],
): Promise<PlacedFile[]> {
  const placed: PlacedFile[] = [];
  for (const { path } of files) {
    await checkDirectories(root, dirname(path));
    const isThere = await isFileThere(root, path);
    placed.push({ path, state: isThere ? "kept" : "written" });
    if (!isThere) await checkWritable(join(root, dirname(path)));
  }
  await using undo = new AsyncDisposableStack();
  for (const [index, { path, content }] of files.entries()) {
    if (placed[index]?.state === "kept") continue;
    try {
      await makeDirectories(root, dirname(path), undo);
      await writeFileAtomic(join(root, path), content, { mode: 0o644 });
    } catch (error) {
      throw notPlaced(join(root, path), error);
    }
    undo.defer(() => rm(join(root, path), { force: true }).catch(() => undefined));
  }
  // All files are there: nothing is undone.
  undo.move();
  return placed;
}

/** Checks each directory on the way: it is one, or does not exist yet; none leads out of the root. */
async function checkDirectories(root: string, path: string): Promise<void> {
  for (const directory of stepsTo(root, path)) {
    if ((await statusOf(directory, lstat)) === undefined) return;
    if (!isInside(realPath(root), realPath(directory))) {
      throw new RetinueError(
        "storage",
        `${directory} is a link that leads out of this directory, so nothing is written there. Replace it with a real directory.`,
      );
    }
    if ((await statusOf(directory, stat))?.isDirectory() !== true) {
      throw new RetinueError(
        "storage",
        `${directory} must be a directory, but is not. Move it away and try again.`,
      );
    }
  }
}

/** A link to a file counts as the file: people keep their settings elsewhere. */
async function isFileThere(root: string, path: string): Promise<boolean> {
  const target = join(root, path);
  if ((await statusOf(target, lstat)) === undefined) return false;
  if ((await statusOf(target, stat))?.isFile() === true) return true;
  throw new RetinueError(
    "storage",
    `${target} exists but is not a file. Move it away and try again.`,
  );
}

async function checkWritable(directory: string): Promise<void> {
  let nearest = directory;
  while ((await statusOf(nearest, lstat)) === undefined) nearest = dirname(nearest);
  try {
    await access(nearest, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw notPlaced(nearest, error);
  }
}

/**
 * Makes directories one by one: Node's recursive form never returns on some file systems, and undo needs to know each.
 */
async function makeDirectories(
  root: string,
  path: string,
  undo: AsyncDisposableStack,
): Promise<void> {
  for (const directory of [root, ...stepsTo(root, path)]) {
    if ((await statusOf(directory, stat)) !== undefined) continue;
    // A user who has no directory of settings yet gets a private one.
    if (directory === root) makePrivateDirectory(root);
    else await mkdir(directory);
    // A directory that another process has filled by then stays.
    undo.defer(() => rmdir(directory).catch(() => undefined));
  }
}

/** `a/b` below `/root`: `/root/a`, `/root/a/b`. */
function stepsTo(root: string, path: string): string[] {
  const names = path.split("/");
  return names.map((_, index) => join(root, ...names.slice(0, index + 1)));
}

async function statusOf(
  path: string,
  look: (path: string) => Promise<Stats>,
): Promise<Stats | undefined> {
  try {
    return await look(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw notPlaced(path, error);
  }
}

function notPlaced(path: string, error: unknown): RetinueError {
  return new RetinueError(
    "storage",
    `${path} cannot be written (${errorMessage(error)}); nothing was changed. Make its directory writable, or use another one.`,
    { cause: error },
  );
}
