/** A median with the smallest and the largest value beside it. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

/** `null` without values: nothing that counts was measured. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    low: at(0),
    high: at(sorted.length - 1),
  };
}

/** One value of each program, measured one right after the other. */
export interface Pair {
  floor: number;
  retinue: number;
}

export interface Comparison {
  floor: Spread | null;
  retinue: Spread | null;
  /** Of the ratios within pairs, so that a machine that slows down for a while does not bend it. */
  ratio: Spread | null;
}

export function compare(pairs: readonly Pair[]): Comparison {
  return {
    floor: spreadOf(pairs.map(({ floor }) => floor)),
    retinue: spreadOf(pairs.map(({ retinue }) => retinue)),
    ratio: spreadOf(pairs.map(({ floor, retinue }) => retinue / floor)),
  };
}
