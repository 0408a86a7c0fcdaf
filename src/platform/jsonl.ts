import { closeSync, constants, fstatSync, ftruncateSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { openInPrivateDirectory } from "./make-directory.ts";
import { writeWhole } from "./write-whole.ts";

/**
 * Appends JSON lines to one private file. When `append` returns, `write(2)` has: what was acknowledged survives
 * `kill -9`. It does not yield in between, on purpose: a write into the page cache takes microseconds, a round trip to
 * the thread pool many times that, and every message of every agent goes through here.
 */
export class JsonlWriter {
  readonly path: string;
  #file: number | undefined;
  #size = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Lines of JSON without their ends. Throws the file system's error; the file then ends where it ended before. */
  append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    let text = "";
    for (const line of lines) text += `${line}\n`;
    const file = (this.#file ??= this.#open());
    try {
      this.#size += writeWhole(file, text, null);
    } catch (error) {
      this.#undo(file);
      throw error;
    }
  }

  /** A later `append` opens the file again. */
  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  #open(): number {
    const file = openInPrivateDirectory(this.path, appending);
    try {
      this.#size = repairTail(file);
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** A full disk may have taken half a line. If it cannot be cut off now, the next append opens the file anew and does. */
  #undo(file: number): void {
    try {
      ftruncateSync(file, this.#size);
    } catch {
      this.close();
    }
  }
}

const appending = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** A crash can tear the last line. It was never acknowledged, so it is cut off. Returns the size that is left. */
function repairTail(file: number): number {
  const { size } = fstatSync(file);
  const chunk = Buffer.alloc(Math.min(size, 64 * 1024));
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - chunk.length);
    const read = readSync(file, chunk, 0, end - start, start);
    const newline = chunk.subarray(0, read).lastIndexOf(0x0a);
    if (newline !== -1) {
      end = start + newline + 1;
      break;
    }
    end = start;
  }
  if (end < size) ftruncateSync(file, end);
  return end;
}

/** Every whole line that holds a JSON object. A torn last line and lines that do not parse are passed over. */
export async function readJsonl(path: string): Promise<Record<string, unknown>[]> {
  return parseJsonl(await readFile(path, "utf8"));
}

export function parseJsonl(text: string): Record<string, unknown>[] {
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    try {
      const value = JSON.parse(line) as Record<string, unknown> | null;
      return typeof value === "object" && value !== null ? [value] : [];
    } catch {
      return [];
    }
  });
}
