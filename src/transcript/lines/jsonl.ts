import { closeSync, constants, fchmodSync, fstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { judgeLines } from "./judge-lines.ts";
import { sealLines } from "./line-sum.ts";
import { openInPrivateDirectory } from "../../platform/files/make-directory.ts";
import { repairLines, type Repair } from "./repair-lines.ts";
import { writeWhole } from "../../platform/files/write-whole.ts";

/**
 * Appends JSON lines to one private file, each with its sum. When `append` returns, `write(2)` has: acknowledged lines
 * survive `kill -9`. Writes are synchronous on purpose: a write into the page cache takes microseconds, a round trip to
 * the thread pool many times that, and every message of every agent goes through here. Other processes may append to
 * the same file: each append is one write at its end.
 */
export class JsonlWriter {
  readonly path: string;
  readonly #onRepair: ((repair: Repair) => void) | undefined;
  #file: number | undefined;
  /** The inode of the file, and its valid size and lines when it was opened. */
  #checked = { inode: 0, size: 0, lines: 0 };
  /** Bytes and lines appended here since. Others may have appended in between. */
  #own = { size: 0, lines: 0 };

  /** `onRepair` gets the problems found when the file was opened. It must not throw. */
  constructor(path: string, onRepair?: (repair: Repair) => void) {
    this.path = path;
    this.#onRepair = onRepair;
  }

  /**
   * Appends lines of JSON objects, given without their ends. Throws the file system's error; then none of them is in
   * the file.
   */
  append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const text = sealLines(lines);
    const file = (this.#file ??= this.#open());
    let size = 0;
    try {
      size = writeWhole(file, text, null);
    } catch (error) {
      this.#undo();
      throw error;
    }
    this.#own.size += size;
    this.#own.lines += lines.length;
  }

  /** Closes the file. A later `append` opens it again. */
  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  #open(): number {
    const file = openInPrivateDirectory(this.path, appending);
    try {
      const { size, ino: inode, mode } = fstatSync(file);
      if (size === 0 && (mode & 0o777) !== 0o600) fchmodSync(file, 0o600);
      this.#check(file, { size, inode });
      this.#own = { size: 0, lines: 0 };
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Checks the file, unless it is unchanged since: an agent that takes many tasks opens its file for each. */
  #check(file: number, { size, inode }: { size: number; inode: number }): void {
    const same = inode === this.#checked.inode && size >= this.#checked.size;
    const from = same ? this.#checked : { size: 0, lines: 0 };
    if (size === 0 || (same && size === from.size + this.#own.size)) {
      this.#checked = { inode, size, lines: size === 0 ? 0 : from.lines + this.#own.lines };
      return;
    }
    const { repair, ...checked } = repairLines(file, {
      path: this.path,
      from: from.size,
      firstLine: from.lines + 1,
    });
    this.#checked = { inode, ...checked };
    if (repair.torn > 0 || repair.bad.length > 0) this.#onRepair?.(repair);
  }

  /**
   * Removes a partial append: a full disk may have taken half of it. Opening cuts that off; if it cannot, the next
   * append will.
   */
  #undo(): void {
    try {
      this.close();
      this.#file = this.#open();
    } catch {
      // The caller gets the same error.
    }
  }
}

const appending = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** Every valid line that holds a JSON object; see `judgeLines`. */
export async function readJsonl(path: string): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  judgeLines(await readFile(path), {
    take: (value) => {
      if (typeof value === "object" && value !== null) lines.push(value as Record<string, unknown>);
    },
  });
  return lines;
}

/** Every line of a part of a file that holds a JSON object, whether it was written whole or not. */
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
