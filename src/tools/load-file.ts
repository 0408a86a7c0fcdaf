import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { systemCode } from "../errors.ts";
import { asToolFailure, contentHash } from "./file-state.ts";
import { ToolFailure, type ToolContext } from "./tool.ts";

export interface LoadedFile {
  /** Real: without symlinks. */
  path: string;
  bytes: Buffer;
  hash: string;
}

const maxLoad = 64 * 1024 * 1024;
const maxAtOnce = 256 * 1024;

/** A regular file's content; `undefined` when there is none. Throws `ToolFailure` for whatever cannot be loaded. */
export async function loadFile(
  path: string,
  { realPath, signal }: Pick<ToolContext, "realPath" | "signal">,
): Promise<LoadedFile | undefined> {
  signal.throwIfAborted();
  try {
    const real = realPath(path);
    const stats = statSync(real);
    if (stats.isDirectory()) {
      throw new ToolFailure(`${path} is a directory. List it with Glob or \`ls\`.`);
    }
    if (!stats.isFile()) {
      throw new ToolFailure(`${path} is a device, pipe or socket. Name a regular file.`);
    }
    const bytes =
      stats.size > 0 && stats.size <= maxAtOnce
        ? readAtOnce(real, stats.size)
        : await readBounded(real, stats.size, signal);
    if (bytes === undefined) {
      throw new ToolFailure(
        `${path} is over 64 MiB. Search it with Grep, or use head, tail or sed in Bash.`,
      );
    }
    return { path: real, bytes, hash: contentHash(bytes) };
  } catch (error) {
    signal.throwIfAborted();
    if (systemCode(error) === "ENOENT") return undefined;
    throw asToolFailure(error, `Cannot read ${path}`);
  }
}

/** Some regular files of /proc and /sys block a reader; with this they answer at once. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Without yielding, on purpose: most files that agents read are small, and four trips to the thread pool cost ten times
 * as much as the reading.
 */
function readAtOnce(path: string, size: number): Buffer {
  const file = openSync(path, readFlags);
  try {
    const buffer = Buffer.allocUnsafe(size);
    let length = 0;
    for (let read = -1; read !== 0 && length < size; length += read) {
      read = readSync(file, buffer, length, size - length, null);
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** For large files, and for those of /proc and /sys that have no size and no end. `undefined` when there is too much. */
async function readBounded(
  path: string,
  size: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (size > maxLoad) return undefined;
  await using handle = await open(path, readFlags);
  // One byte more than it should have, so that a file that grew or has no size shows.
  let buffer = Buffer.allocUnsafe(Math.max(size + 1, 4096));
  for (let length = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (length > maxLoad) return undefined;
    // Fewer bytes than asked for, and as many as the file has: that was all of it.
    if (bytesRead === 0 || (size > 0 && length === size)) return buffer.subarray(0, length);
    if (length === buffer.length)
      buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
}
