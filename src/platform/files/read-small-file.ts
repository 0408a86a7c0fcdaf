import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { errorMessage, systemCode } from "../../contract/errors.ts";

export type SmallFile = { kind: "text"; text: string } | Unread;

type Unread =
  | { kind: "missing" }
  /** The file exists and is not read; the reason is a sentence without its full stop. */
  | { kind: "refused"; reason: string };

/**
 * Reads a text file that others may have put there. Only a regular file is opened, because a pipe or a device would
 * hang or answer for ever, and no more than `largest` bytes are read, whatever its size claims. Never throws.
 */
export function readSmallFile(file: string, largest: number): SmallFile {
  const read = readSmallBytes(file, largest);
  return read.kind === "bytes" ? { kind: "text", text: read.bytes.toString("utf8") } : read;
}

/** The bytes of a file, under the same rules. */
export function readSmallBytes(
  file: string,
  largest: number,
): { kind: "bytes"; bytes: Buffer } | Unread {
  let descriptor: number | undefined;
  try {
    if (!statSync(file).isFile()) return notRegular;
    // The file may have become a pipe since the look; this does not wait for its other end.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = fstatSync(descriptor);
    if (!info.isFile()) return notRegular;
    if (info.size > largest) return tooLarge(largest);
    const bytes = readUpTo(descriptor, Math.max(4096, info.size + 1), largest);
    return bytes === undefined ? tooLarge(largest) : { kind: "bytes", bytes };
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    return { kind: "refused", reason: `it cannot be read (${errorMessage(error)})` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const notRegular: Unread = { kind: "refused", reason: "it is not a regular file" };

function tooLarge(largest: number): Unread {
  return { kind: "refused", reason: `it is larger than ${Math.floor(largest / 1024)} KiB` };
}

/** Reads to the end of the file, which may have grown since it was measured; nothing when it is too long. */
function readUpTo(descriptor: number, step: number, largest: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let total = 0; ;) {
    const chunk = Buffer.allocUnsafe(step);
    const count = readSync(descriptor, chunk, 0, step, null);
    if (count === 0) return Buffer.concat(chunks);
    total += count;
    if (total > largest) return undefined;
    chunks.push(chunk.subarray(0, count));
  }
}
