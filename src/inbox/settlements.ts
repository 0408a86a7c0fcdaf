import { RetinueError } from "../contract/errors.ts";

const remembered = 1000;

/** Remembers the answerer of each settled request, to name it to a later one. */
export class Settlements {
  readonly #by = new Map<string, string>();

  note(id: string, by: string): void {
    this.#by.set(id, by);
    const [oldest] = this.#by.keys();
    if (this.#by.size > remembered && oldest !== undefined) this.#by.delete(oldest);
  }

  /** The open request with this id or id prefix. Throws `unknown_task` and `ambiguous_task`. */
  find<Entry>(idOrPrefix: string, open: ReadonlyMap<string, Entry>): Entry {
    const exact = open.get(idOrPrefix);
    if (exact !== undefined) return exact;
    const isMeant = ([id]: readonly [string, unknown]): boolean =>
      idOrPrefix !== "" && id.startsWith(idOrPrefix);
    const [first, ...others] = [...open].filter(isMeant);
    if (first !== undefined && others.length === 0) return first[1];
    if (first !== undefined)
      throw ambiguous(
        idOrPrefix,
        [first, ...others].map(([id]) => id),
      );
    const before = [...this.#by].find(isMeant);
    if (before !== undefined) throw settledBefore(...before);
    throw new RetinueError(
      "unknown_task",
      `There is no open request '${idOrPrefix}'. 'retinue approvals' lists them.`,
    );
  }
}

export function settledBefore(id: string, by: string): RetinueError {
  return new RetinueError(
    "unknown_task",
    `${id} is settled: already answered by ${by}. 'retinue approvals' lists what is open.`,
  );
}

export function ambiguous(text: string, ids: readonly string[]): RetinueError {
  const named = `${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", …" : ""}`;
  return new RetinueError(
    "ambiguous_task",
    `'${text}' means ${ids.length} requests: ${named}. Write more of the id.`,
  );
}
