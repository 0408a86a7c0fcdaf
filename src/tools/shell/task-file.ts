import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { errorMessage, systemCode } from "../../contract/errors.ts";
import { openInPrivateDirectory } from "../../platform/files/make-directory.ts";
import { writeWhole } from "../../platform/files/write-whole.ts";
import type { Redactor } from "../../redact/redactor.ts";
import { StreamRedactor } from "../../redact/stream-redactor.ts";
import { shownCharacters } from "./tail.ts";

const cap = 64 * 1024 * 1024;

/**
 * The output file of a background command. Output goes through this process, which redacts it and limits its length.
 * Writes are synchronous: that is the back-pressure on the command. A failed write never ends the command; it is kept
 * as `problem`.
 */
export class TaskFile {
  /** Id of the task, unique in the session; the file is named after it. */
  readonly id: string;
  /** Path; `null` if the file could not be made. */
  readonly path: string | null;
  /** The reason why the file lacks some output. */
  problem: string | undefined;
  readonly #redacted: StreamRedactor;
  #file: number | undefined;
  #made: Stats | undefined;
  #written = 0;
  #endsLine = true;

  constructor(directory: string, redactor: Redactor) {
    this.#redacted = new StreamRedactor(redactor);
    for (;;) {
      const id = `b${randomBytes(4).toString("hex")}`;
      const path = join(directory, `${id}.output`);
      try {
        this.#file = openInPrivateDirectory(path, "ax");
        this.path = path;
        this.#made = fstatSync(this.#file);
      } catch (error) {
        if (systemCode(error) === "EEXIST") continue;
        this.path = null;
        this.problem = errorMessage(error);
      }
      this.id = id;
      return;
    }
  }

  write(text: string): void {
    if (this.problem === undefined) this.#append(this.#redacted.push(text));
  }

  /** Writes the text that was held back, and a last line about the end. */
  close(ending: string): void {
    if (this.#file === undefined) return;
    if (this.problem === undefined) this.#append(this.#redacted.flush());
    this.#line(ending);
    closeSync(this.#file);
    this.#file = undefined;
  }

  /** The end of the file, if it can be read. */
  end(): string {
    if (this.path === null) return "";
    try {
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
      const file = openSync(this.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const { size, ino, dev } = fstatSync(file);
        // The command could have put anything there, even a link to a file that the agent may not read.
        if (ino !== this.#made?.ino || dev !== this.#made.dev) throw new Error("it was replaced");
        const bytes = Buffer.alloc(Math.min(size, shownCharacters * 4));
        const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
        return bytes.toString("utf8", 0, read);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      return `[The output cannot be read any more: ${errorMessage(error)}]`;
    }
  }

  #append(text: string): void {
    if (text === "" || this.#file === undefined) return;
    const size = Buffer.byteLength(text);
    const room = cap - this.#written;
    if (size <= room) return this.#put(text, size);
    // A character that is cut in two is left out.
    this.#put(
      Buffer.from(text)
        .toString("utf8", 0, room)
        .replace(/\uFFFD$/, ""),
      room,
    );
    this.problem ??= "only the first 64 MiB were kept";
    this.#line(this.problem);
  }

  #put(text: string, size: number): void {
    if (this.#file === undefined || text === "") return;
    try {
      writeWhole(this.#file, text, null);
      this.#written += size;
      this.#endsLine = text.endsWith("\n");
    } catch (error) {
      this.problem ??= errorMessage(error);
    }
  }

  #line(text: string): void {
    this.#put(`${this.#endsLine ? "" : "\n"}[${text}]\n`, 0);
  }
}
