/**
 * Runs at most `count` pieces of work at once, first come, first served. A failure is its own caller's. Queued work
 * begins in a new turn of the event loop, so that a long queue keeps no timer or socket waiting.
 */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else setImmediate(next);
    }
  }
}

/** Works on all items, on at most `count` of them at once. Results are in the order of the items. */
export function mapAtMost<Item, Result>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const gate = new Gate(count);
  return Promise.all(items.map((item) => gate.run(() => work(item))));
}

/** The most files open at once: a process may open fewer files than there are agents. */
export const filesAtOnce = 64;
