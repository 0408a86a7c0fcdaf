/** Reproducible random choices: the same seed gives the same ones. */
export interface Random {
  /** From 0 to below `limit`. */
  below: (limit: number) => number;
  chance: (share: number) => boolean;
  pick: <T>(choices: readonly T[]) => T;
}

/** One source for each command, so that a command is known by its seed and number alone. */
export function randomOf(seed: number, index: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (share) => next() < share,
    pick: (choices) => {
      const choice = choices[below(choices.length)];
      if (choice === undefined) throw new RangeError("Nothing to pick from. Give a choice.");
      return choice;
    },
  };
}
