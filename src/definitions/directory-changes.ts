import { existsSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Knows which paths have changed below some directories, without looking at them. A directory that is not there yet is
 * awaited from the nearest one above it. Does not keep the process alive.
 */
export class DirectoryChanges implements Disposable {
  readonly #watchers = new Map<string, FSWatcher>();
  /** Directories that may have been removed and made again: the old watcher hears nothing of the new one. */
  readonly #stale = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** The system cannot watch (any more): whoever asks must look for himself. */
  blind = false;

  /** Watches exactly these from now on. Returns those that were not watched until now: what happened in them was missed. */
  watch(directories: readonly string[]): string[] {
    const wanted = new Set(directories.map((directory) => nearest(directory)));
    for (const [directory, watcher] of this.#watchers) {
      if (wanted.has(directory) && !this.#stale.has(directory)) continue;
      watcher.close();
      this.#watchers.delete(directory);
    }
    this.#stale.clear();
    const fresh = [...wanted].filter((directory) => !this.#watchers.has(directory));
    for (const directory of fresh) this.#open(directory);
    return fresh;
  }

  /** Hears of changes, once things have been quiet for a moment: an editor saves in several steps. Returns how to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The paths that have changed since the last call; first lets in what the system has reported until now. */
  async take(): Promise<ReadonlySet<string>> {
    // Twice: after the first one the system may not have been asked yet.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    clearTimeout(this.#timer);
  }

  #open(directory: string): void {
    try {
      const watcher = watch(directory, { persistent: false }, (event, name) => {
        // The system tells of the end of a directory as if something of its name were in it.
        if (event === "rename" && name === basename(directory)) this.#stale.add(directory);
        this.#report(name === null ? directory : join(directory, name));
      });
      watcher.on("error", () => (this.blind = true));
      this.#watchers.set(directory, watcher);
    } catch {
      // No more watches to be had, or gone in this instant.
      this.blind = true;
    }
  }

  #report(path: string): void {
    this.#changed.add(path);
    if (this.#watchers.has(path)) this.#stale.add(path);
    if (this.#listeners.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const listener of this.#listeners) listener();
    }, quiet).unref();
  }
}

/** Milliseconds without a change before anybody is told. */
const quiet = 100;

function nearest(directory: string): string {
  let at = directory;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}
