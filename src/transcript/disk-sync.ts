import { constants } from "node:fs";
import { open, rename, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { systemCode } from "../contract/errors.ts";
import { filesAtOnce, mapAtMost } from "../platform/gate.ts";

/**
 * Flushes files to the disk itself, so that they survive a power cut. One pass runs at a time: it syncs every requested
 * file, then their directories. Calls that come during a pass share the next one. Each call rejects with the file
 * system's error if its own file or directory fails.
 */
export class DiskSync {
  readonly #open: OpenForSync;
  #waiting: QueuedSync[] = [];
  #isRunning = false;
  /** Directories whose own names are on the disk. */
  readonly #named = new Set<string>();
  /** Files whose sync failed. A second sync may succeed although their bytes are lost. */
  readonly #lost = new Map<string, unknown>();

  constructor(openForSync: OpenForSync = open) {
    this.#open = openForSync;
  }

  /** Resolves when the disk has the file's name and all bytes written before the call. */
  sync(file: string): Promise<void> {
    return this.#wait({ file, directory: dirname(file) });
  }

  /** Renames a file that was just written over an older one. After a power cut one of the two is there, whole. */
  replace(older: string, file: string): Promise<void> {
    return this.#wait({ file, becomes: older, directory: dirname(older) });
  }

  /** Resolves when files that were removed from a directory stay removed. */
  syncNames(directory: string): Promise<void> {
    return this.#wait({ directory });
  }

  #wait(work: SyncJob): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ ...work, resolve, reject });
    if (!this.#isRunning) void this.#runPasses();
    return promise;
  }

  /** Runs passes until no file waits. Never rejects. */
  async #runPasses(): Promise<void> {
    this.#isRunning = true;
    // Agents that write in the same turn of the event loop share a pass, also on a fast disk.
    await setImmediate();
    while (this.#waiting.length > 0) await this.#pass(this.#waiting.splice(0));
    this.#isRunning = false;
  }

  async #pass(waiting: readonly QueuedSync[]): Promise<void> {
    const failures = new Map<string, unknown>();
    const each = (paths: readonly string[], sync: (path: string) => Promise<void>) =>
      mapAtMost(filesAtOnce, [...new Set(paths)], (path) =>
        sync(path).catch((error: unknown) => failures.set(path, error)),
      );
    const becomes = new Map(
      waiting.flatMap(({ file, becomes }) => (becomes === undefined ? [] : [[file, becomes]])),
    );
    await each(
      waiting.flatMap(({ file }) => file ?? []),
      (file) => this.#syncFile(file, becomes.get(file)),
    );
    await each(
      waiting.map(({ directory }) => directory),
      (directory) => this.#syncDirectory(directory),
    );
    for (const { file = "", directory, resolve, reject } of waiting) {
      const failed = [file, directory].find((path) => failures.has(path));
      if (failed === undefined) resolve();
      else reject(failures.get(failed));
    }
  }

  async #syncFile(path: string, becomes: string | undefined): Promise<void> {
    if (this.#lost.has(path)) throw this.#lost.get(path);
    await using file = await this.#open(path, reading);
    try {
      await file.datasync();
    } catch (error) {
      if (becomes === undefined) this.#lost.set(path, error);
      throw error;
    }
    if (becomes !== undefined) await rename(path, becomes);
  }

  /** Syncs a directory. One that is seen for the first time may be new, and those above it too. */
  async #syncDirectory(directory: string): Promise<void> {
    await this.#syncNames(directory);
    for (let path = directory; !this.#named.has(path); path = dirname(path)) {
      await this.#syncNames(dirname(path));
      this.#named.add(path);
    }
  }

  /** Syncs the names in a directory. Some file systems cannot, and some directories above ours are not ours to open. */
  async #syncNames(path: string): Promise<void> {
    try {
      await using directory = await this.#open(path, constants.O_RDONLY);
      await directory.sync();
    } catch (error) {
      if (!unable.has(systemCode(error) ?? "")) throw error;
    }
  }
}

const reading = constants.O_RDONLY | constants.O_NOFOLLOW;
const unable = new Set(["EACCES", "EPERM", "EISDIR", "EINVAL", "EBADF", "ENOTSUP"]);

/** A part of `open` of `node:fs/promises`. */
type OpenForSync = (
  path: string,
  flags: number,
) => Promise<Pick<FileHandle, "datasync" | "sync" | typeof Symbol.asyncDispose>>;

interface SyncJob {
  file?: string;
  /** The name that the file takes when its bytes are on the disk. */
  becomes?: string;
  directory: string;
}

interface QueuedSync extends SyncJob {
  resolve: () => void;
  reject: (reason: unknown) => void;
}
