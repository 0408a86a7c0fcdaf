import { RetinueError } from "../errors.ts";

/** Where an agent stands with its slot: `waking` is in line again after it has lent its slot. */
export type Standing = "outside" | "queued" | "waking" | "held" | "lent";

/** One number that must not be exceeded, and how many agents it is about. */
export class Limit {
  readonly limit: number;
  readonly #what: string;
  readonly #counts: Record<Standing, number> = {
    outside: 0,
    queued: 0,
    waking: 0,
    held: 0,
    lent: 0,
  };

  /** `what` completes "max concurrent agents … reached". */
  constructor(limit: number, what = "") {
    this.limit = limit;
    this.#what = what;
  }

  get counts(): Readonly<Record<Standing, number>> {
    return this.#counts;
  }

  get isFull(): boolean {
    return this.#counts.held >= this.limit;
  }

  count(from: Standing, to: Standing): void {
    this.#counts[from] -= 1;
    this.#counts[to] += 1;
  }

  /** For those who do not want to wait. */
  refusal(): RetinueError {
    const what = this.#what === "" ? "" : ` ${this.#what}`;
    return new RetinueError(
      "limit_reached",
      `max concurrent agents${what} reached (${this.limit}). Do not retry; wait for a running agent to end.`,
    );
  }
}
