import { closeSync, constants, fdatasync, fdatasyncSync, ftruncateSync } from "node:fs";
import { dirname, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { encodeRecord, removed } from "./journal-record.ts";
import { dropJournal } from "./journal-removals.ts";
import { openInPrivateDirectory } from "../../platform/files/make-directory.ts";
import { syncDirectories, syncDirectory, syncFiles } from "./sync-files.ts";
import { writeWhole } from "../../platform/files/write-whole.ts";

/** How many bytes the journal may have before the files themselves are put on the disk and it starts again. */
const largestJournal = 32 * 1024 * 1024;

/**
 * What makes writes to many files survive a power cut with few syncs. Each write is noted here too; `commit` resolves when
 * its notes are on the disk itself, and one `fdatasync` serves everything that was noted while the last one ran. The
 * files are synced only now and then. `replayJournal` gives back what a power cut took from them.
 */
export class PowerJournal {
  readonly #path: string;
  readonly #root: string;
  readonly #largest: number;
  readonly #sync: (file: number) => Promise<void>;
  readonly #syncNow: (file: number) => void;
  readonly #counts = { records: 0, syncs: 0, checkpoints: 0 };
  #file: number | undefined;
  #size = 0;
  /** Not yet in the journal. */
  #notes: { path: string; record: Buffer }[] = [];
  /** Files that lack on the disk what the journal has. */
  #changed = new Set<string>();
  #waiting: Waiting[] = [];
  /** Those whose sync runs. */
  #underWay: Waiting[] = [];
  #committing: Promise<void> | undefined;
  /** After a sync that failed nobody knows what is on the disk, and a second one may succeed without cause. */
  #broken: { error: unknown } | undefined;

  /** `root` is the directory that holds all the files. */
  constructor(options: {
    path: string;
    root: string;
    largest?: number;
    sync?: (file: number) => Promise<void>;
    syncNow?: (file: number) => void;
  }) {
    this.#path = options.path;
    this.#root = options.root;
    this.#largest = options.largest ?? largestJournal;
    this.#sync = options.sync ?? promisify(fdatasync);
    this.#syncNow = options.syncNow ?? fdatasyncSync;
  }

  get counts(): Readonly<{ records: number; syncs: number; checkpoints: number }> {
    return this.#counts;
  }

  /** These bytes are in a file from `at` on; with `null`, they are about to become all that it holds. Copies them. */
  note(path: string, at: number | null, bytes: Uint8Array): void {
    const record = encodeRecord({ file: relative(this.#root, path), at, bytes });
    this.#notes.push({ path, record });
    this.#counts.records += 1;
  }

  /** This file is about to be removed, and is not to come back. */
  noteRemoval(path: string): void {
    this.note(path, null, removed);
  }

  /**
   * Resolves when all that was noted so far survives a power cut. `write` is called just before that; it replaces a file
   * whose new content was noted, which must not be ahead of the journal. Rejects with the file system's error; `write`
   * is called even so.
   */
  commit(write?: () => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ write, resolve, reject });
    this.#committing ??= this.#commitAll();
    return promise;
  }

  /**
   * The same at once, for what cannot wait: it holds up everything else. Whoever came before writes first, for an older
   * content must not be written over a newer one.
   */
  commitNow(write?: () => void): void {
    let failure: { error: unknown } | undefined;
    try {
      if (this.#broken !== undefined) throw this.#broken.error;
      const file = this.#flush();
      this.#counts.syncs += 1;
      this.#syncOrBreak(file);
    } catch (error) {
      failure = { error };
    }
    for (const waiting of this.#underWay) writeEarly(waiting);
    for (const waiting of this.#waiting.splice(0)) settle(waiting, failure);
    write?.();
    if (failure !== undefined) throw failure.error;
  }

  /** Puts the files themselves on the disk; the journal is not needed then. Throws what kept it from doing so. */
  async close(): Promise<void> {
    await this.#committing;
    const file = this.#file;
    if (file === undefined) return;
    if (this.#broken !== undefined) throw this.#broken.error;
    await this.#checkpoint(file);
    this.#file = undefined;
    closeSync(file);
    dropJournal(this.#path);
  }

  async #commitAll(): Promise<void> {
    // What is noted in one turn of the event loop is one batch, also on a disk that answers at once.
    await setImmediate();
    while (this.#waiting.length > 0) {
      this.#underWay = this.#waiting.splice(0);
      const failure = await this.#commitBatch().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      for (const waiting of this.#underWay.splice(0)) settle(waiting, failure);
      if (this.#size > this.#largest && this.#file !== undefined) {
        // If a file cannot be synced, the journal keeps what it lacks.
        await this.#checkpoint(this.#file).catch(() => undefined);
      }
    }
    // In the same breath as the last look at who waits: whoever comes next starts anew.
    this.#committing = undefined;
  }

  async #commitBatch(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken.error;
    const file = await this.#flushSomehow();
    this.#counts.syncs += 1;
    try {
      await this.#sync(file);
    } catch (error) {
      this.#broken = { error };
      throw error;
    }
  }

  #syncOrBreak(file: number): void {
    try {
      this.#syncNow(file);
    } catch (error) {
      this.#broken = { error };
      throw error;
    }
  }

  /** Where there is no room for the notes, the files are put on the disk: then the journal's own room is free. */
  async #flushSomehow(): Promise<number> {
    try {
      return this.#flush();
    } catch (error) {
      if (this.#file === undefined) throw error;
      await this.#checkpoint(this.#file);
    }
    try {
      return this.#flush();
    } catch (error) {
      // What was appended is on the disk; what was about to be replaced is not.
      this.#notes = [];
      throw error;
    }
  }

  #flush(): number {
    const file = (this.#file ??= this.#open());
    const notes = this.#notes;
    try {
      this.#size += writeWhole(file, Buffer.concat(notes.map(({ record }) => record)), this.#size);
    } catch (error) {
      ftruncateSync(file, this.#size);
      throw error;
    }
    this.#notes = [];
    for (const { path } of notes) this.#changed.add(path);
    return file;
  }

  async #checkpoint(file: number): Promise<void> {
    const changed = [...this.#changed.union(new Set(this.#notes.map(({ path }) => path)))];
    const before = this.#size;
    this.#counts.checkpoints += 1;
    await syncFiles(changed);
    for (const directory of new Set(changed.map((path) => dirname(path)))) syncDirectory(directory);
    // Somebody could not wait: what that left in the journal is still needed.
    if (this.#size !== before) return;
    ftruncateSync(file, 0);
    this.#size = 0;
    this.#changed = new Set();
  }

  #open(): number {
    const file = openInPrivateDirectory(this.#path, journalFlags);
    syncDirectories(dirname(this.#path));
    return file;
  }
}

const journalFlags =
  constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

interface Waiting {
  write: (() => void) | undefined;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/** Before its own sync has ended, which still decides what it is told. */
function writeEarly(waiting: Waiting): void {
  const { write, reject } = waiting;
  waiting.write = undefined;
  try {
    write?.();
  } catch (error) {
    reject(error);
  }
}

function settle(
  { write, resolve, reject }: Waiting,
  failure: { error: unknown } | undefined,
): void {
  try {
    write?.();
  } catch (error) {
    return reject(error);
  }
  if (failure === undefined) resolve();
  else reject(failure.error);
}
