/** A figure with the smallest and the largest measured value. */
export interface Spread {
  value: number;
  low: number;
  high: number;
}

/** The median with its spread. `null` without values: nothing that counts was measured. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return {
    value: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
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
  /**
   * The quotient of the two medians, between the smallest and the largest quotient of a pair. The median of those would
   * lean upwards where noise is large: a floor that is low by chance weighs more than one that is high.
   */
  ratio: Spread | null;
}

export function compare(pairs: readonly Pair[]): Comparison {
  const floor = spreadOf(pairs.map((pair) => pair.floor));
  const retinue = spreadOf(pairs.map((pair) => pair.retinue));
  const quotients = spreadOf(pairs.map((pair) => pair.retinue / pair.floor));
  if (floor === null || retinue === null || quotients === null) {
    return { floor, retinue, ratio: null };
  }
  return { floor, retinue, ratio: { ...quotients, value: retinue.value / floor.value } };
}
