/**
 * About how many go before somebody in line, without counting them: those of a higher rank, and those of the same rank
 * that came earlier. Where parents take turns, or somebody behind left, one can be served sooner than that says.
 */
export class Positions {
  /** At most as many as there are priorities. */
  readonly #ranks = new Map<number, { entered: number; left: number }>();

  /** The number that was drawn, for `of`. */
  enter(rank: number): number {
    const counts = this.#ranks.get(rank) ?? { entered: 0, left: 0 };
    counts.entered += 1;
    this.#ranks.set(rank, counts);
    return counts.entered;
  }

  leave(rank: number): void {
    const counts = this.#ranks.get(rank);
    if (counts !== undefined) counts.left += 1;
  }

  /** 1 = next to be served. */
  of(rank: number, drawn: number): number {
    let ahead = 0;
    for (const [other, { entered, left }] of this.#ranks) if (other > rank) ahead += entered - left;
    return ahead + Math.max(1, drawn - (this.#ranks.get(rank)?.left ?? 0));
  }
}
