import { basename, dirname, join, relative } from "node:path";
import { isInside } from "../../../platform/files/is-inside.ts";
import type { Ground } from "../../ground.ts";

/** How many files the copies of a line may look at, and how many it may write. */
const mostEntries = 1000;

/**
 * The files that the copies of one line write. A source holds what is on the disk now, and what the line itself puts there:
 * `mkdir x; echo a > x/l; cp -r x/. sub` writes `sub/l`.
 */
export class CopiedFiles {
  readonly #ground: Ground;
  readonly #entries = new Map<string, readonly string[] | null>();
  readonly #made = new Set<string>();
  #left = mostEntries;
  #hasEnd = true;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** How many paths the line writes, as far as they were added. */
  get size(): number {
    return this.#made.size;
  }

  /** Adds a path that some part of the line writes, in every spelling. */
  add(...spellings: readonly string[]): void {
    for (const path of spellings) this.#made.add(path);
  }

  /** Copies bring along what others have written, without an end: nothing is known. */
  giveUp(): void {
    this.#hasEnd = false;
  }

  /**
   * The files that copying or moving these sources to a target would write: at the target itself, and in it under their own
   * names, with everything in them. `null`: there are too many to tell, or there is a link among them, which may lead elsewhere
   * from its new place.
   */
  of(sources: readonly string[], target: string): readonly string[] | null {
    const written: string[] = [];
    for (const source of sources) {
      const entries = this.#entriesOf(source);
      const made = this.#madeBelow(source);
      if (entries === null || made === null) return null;
      for (const entry of new Set([...entries, ...made])) {
        written.push(join(target, entry), join(target, basename(source), entry));
      }
    }
    return written;
  }

  #madeBelow(source: string): string[] | null {
    if (!this.#hasEnd || this.#made.size > 2 * mostEntries) return null;
    const roots = [...new Set([source, this.#ground.realPath(source)])];
    return roots.flatMap((root) => {
      const below = [...this.#made].filter((path) => isInside(root, path));
      return below.map((path) => relative(root, path));
    });
  }

  #entriesOf(source: string): readonly string[] | null {
    let entries = this.#entries.get(source);
    if (entries === undefined) {
      entries = this.#listed(source);
      this.#entries.set(source, entries);
    }
    return entries;
  }

  /** Everything below a path, relative to it, itself first. */
  #listed(source: string): readonly string[] | null {
    const ground = this.#ground;
    const found = [""];
    const real = ground.realPath(source);
    // The source itself is a link.
    if (real !== join(ground.realPath(dirname(source)), basename(source))) return null;
    for (const entry of found) {
      const names = ground.list(join(source, entry));
      if (names === null) return null;
      for (const name of names) {
        const below = join(entry, name);
        if (ground.realPath(join(source, below)) !== join(real, below)) return null;
        found.push(below);
        this.#left -= 1;
        if (this.#left < 0) return null;
      }
    }
    return found;
  }
}
