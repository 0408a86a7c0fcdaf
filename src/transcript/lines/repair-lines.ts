import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  readFileSync,
  readSync,
} from "node:fs";
import { crc32 } from "node:zlib";
import { systemCode } from "../../contract/errors.ts";
import { judgeLines, type BadLine } from "./judge-lines.ts";
import { openInPrivateDirectory } from "../../platform/files/make-directory.ts";
import { writeWhole } from "../../platform/files/write-whole.ts";

/** Problems found in a file of lines when it was opened. */
export interface Repair {
  path: string;
  /** Bytes cut off its end: an append that a crash cut short. */
  torn: number;
  /** Lines that stay in the file and are skipped. */
  bad: Pick<BadLine, "line" | "reason">[];
  /** The file to which complete but invalid lines were copied, if there are any. */
  keptIn: string | undefined;
}

/**
 * Makes a file fit to be appended to. An incomplete append was never acknowledged: it is cut off. Complete but invalid
 * lines are copied to `<file>.bad`, once. Reads from `from`, where line `firstLine` begins. Throws the file system's
 * error.
 */
export function repairLines(
  file: number,
  { path, from, firstLine }: { path: string; from: number; firstLine: number },
): { repair: Repair; size: number; lines: number } {
  for (let tries = 1; ; tries += 1) {
    const bytes = readFrom(file, from);
    const { end, bad, newlines } = judgeLines(bytes, { firstLine });
    const torn = bytes.length - end;
    if (torn > 0) {
      // Another process may be in the middle of a write. A change of mode waits for its end.
      fchmodSync(file, 0o600);
      if (fstatSync(file).size !== from + bytes.length && tries < mostTries) continue;
    }
    const keptIn = keepAside(path, from, bytes, bad);
    const stays = bad.filter(({ start }) => start < end);
    const repair = {
      path,
      torn,
      bad: stays.map(({ line, reason }) => ({ line, reason })),
      keptIn,
    };
    if (torn > 0) ftruncateSync(file, from + end);
    return { repair, size: from + end, lines: firstLine - 1 + newlines };
  }
}

const mostTries = 100;

function readFrom(file: number, from: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, fstatSync(file).size - from));
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, from + length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

/** Copies each line unchanged, with its place: a person or a later program may still use it. */
function keepAside(
  path: string,
  from: number,
  bytes: Buffer,
  bad: readonly BadLine[],
): string | undefined {
  if (bad.length === 0) return undefined;
  const keptIn = `${path}.bad`;
  const known = keptAlready(keptIn);
  let text = "";
  for (const { line, start, end, reason } of bad) {
    const content = bytes.subarray(start, end);
    const place = { offset: from + start, crc: crc32(content) };
    if (known.has(keyOf(place))) continue;
    const kept = isUtf8(content)
      ? { text: content.toString("utf8") }
      : { base64: content.toString("base64") };
    text += `${JSON.stringify({ line, ...place, reason, ...kept })}\n`;
  }
  if (text === "") return keptIn;
  const aside = openInPrivateDirectory(keptIn, appending);
  try {
    writeWhole(aside, text, null);
  } finally {
    closeSync(aside);
  }
  return keptIn;
}

const appending =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

function keptAlready(keptIn: string): Set<string> {
  const known = new Set<string>();
  try {
    judgeLines(readFileSync(keptIn), {
      take: (value) => known.add(keyOf(value as { offset: number; crc: number })),
    });
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
  return known;
}

function keyOf({ offset, crc }: { offset: number; crc: number }): string {
  return `${offset} ${crc}`;
}
