import { closeSync, constants, fstatSync, lstatSync, read, readSync, type Stats } from "node:fs";
import { promisify } from "node:util";
import { systemCode } from "../../contract/errors.ts";
import { openDecided } from "../../platform/files/open-decided.ts";
import { unknownPath } from "../../platform/files/real-path.ts";
import { asToolFailure, contentHash } from "./file-state.ts";
import { ToolFailure, type ToolContext } from "../tool.ts";

export interface LoadedFile {
  /** The real path, without symlinks. */
  path: string;
  bytes: Buffer;
  hash: string;
}

const maxLoad = 64 * 1024 * 1024;
const maxAtOnce = 256 * 1024;

/** A regular file's content; `undefined` when there is none. Throws `ToolFailure` for a file that cannot be loaded. */
export async function loadFile(
  path: string,
  { realPath, signal }: Pick<ToolContext, "realPath" | "signal">,
): Promise<LoadedFile | undefined> {
  signal.throwIfAborted();
  try {
    const real = realPath(path);
    const bytes = await readDecided(real, path, signal);
    return { path: real, bytes, hash: contentHash(bytes) };
  } catch (error) {
    signal.throwIfAborted();
    if (systemCode(error) === "ENOENT") return undefined;
    throw asToolFailure(error, `Cannot read ${path}`);
  }
}

/**
 * Flags for reading. Some regular files of /proc and /sys block a reader; with these they answer at once, and so does a
 * pipe.
 */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK;

/** `path`: as the model wrote it, for messages. */
async function readDecided(real: string, path: string, signal: AbortSignal): Promise<Buffer> {
  if (real === unknownPath)
    throw new ToolFailure(
      `Cannot read ${path}: it is forbidden, too long or in a cycle of links, or leads through /proc/self or /dev/fd. Name the file by its own path.`,
    );
  // Opening alone has effects: it wakes the other end of a pipe, and some devices.
  const named = lstatSync(real);
  if (!named.isSymbolicLink()) requireRegular(named, path);
  const descriptor = openDecided(real, readFlags);
  try {
    const opened = fstatSync(descriptor);
    requireRegular(opened, path);
    const { size } = opened;
    if (size > 0 && size <= maxAtOnce) return readAtOnce(descriptor, size);
    const bytes = await readBounded(descriptor, size, signal);
    if (bytes !== undefined) return bytes;
  } finally {
    closeSync(descriptor);
  }
  throw new ToolFailure(
    `${path} is over 64 MiB. Search it with Grep, or use head, tail or sed in Bash.`,
  );
}

function requireRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  throw new ToolFailure(
    stats.isDirectory()
      ? `${path} is a directory. List it with Glob or \`ls\`.`
      : `${path} is a device, pipe or socket. Name a regular file.`,
  );
}

/**
 * Reads synchronously on purpose: most files that agents read are small, and four trips to the thread pool cost ten
 * times as much as the reading.
 */
function readAtOnce(descriptor: number, size: number): Buffer {
  const buffer = Buffer.allocUnsafe(size);
  let length = 0;
  for (let count = -1; count !== 0 && length < size; length += count) {
    count = readSync(descriptor, buffer, length, size - length, null);
  }
  return buffer.subarray(0, length);
}

const readLater = promisify(read);

/** Reads large files, and those of /proc and /sys that have no size and no end. `undefined` when there is too much. */
async function readBounded(
  descriptor: number,
  size: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (size > maxLoad) return undefined;
  // One byte more than the size, to notice a file that grew or has no size.
  let buffer = Buffer.allocUnsafe(Math.max(size + 1, 4096));
  for (let length = 0; ;) {
    signal.throwIfAborted();
    const room = buffer.length - length;
    const { bytesRead } = await readLater(descriptor, buffer, length, room, null);
    length += bytesRead;
    if (length > maxLoad) return undefined;
    // A short read that reaches the size is the end of the file.
    if (bytesRead === 0 || (size > 0 && length === size)) return buffer.subarray(0, length);
    if (length === buffer.length)
      buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
}
