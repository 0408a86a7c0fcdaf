import { existsSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Knows which paths have changed below some directories, without reading them. A directory that does not exist yet is
 * awaited from its nearest existing ancestor. Does not keep the process alive.
 */
export class DirectoryChanges implements Disposable {
  readonly #watchers = new Map<string, FSWatcher>();
  /** Directories that may have been removed and recreated: the old watcher does not see the new one. */
  readonly #stale = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the system cannot watch (any more): the caller must look itself. */
  blind = false;

  /**
   * Watches exactly these directories from now on. Returns those that were not watched before: changes in them were
   * missed.
   */
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

  /**
   * Calls the listener after changes, once there were none for a moment: an editor saves in several steps. Returns a
   * function that stops it.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Paths that have changed since the last call; waits first for the changes that the system has already reported. */
  async take(): Promise<ReadonlySet<string>> {
    // Twice: after the first one the system may not have been polled yet.
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
        // The system reports the end of a directory as if an entry of its name were in it.
        if (event === "rename" && name === basename(directory)) this.#stale.add(directory);
        this.#report(name === null ? directory : join(directory, name));
      });
      watcher.on("error", () => (this.blind = true));
      this.#watchers.set(directory, watcher);
    } catch {
      // No watches are left, or the directory vanished in this instant.
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

/** Milliseconds without a change before listeners are notified. */
const quiet = 100;

function nearest(directory: string): string {
  let at = directory;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}
