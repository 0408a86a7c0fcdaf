/** One source in a decision: its name, and its value, if any. */
export type Voice<Value> = readonly [from: string, value: Value | undefined];

/** Returns the first value, with the name of its source. */
export function firstOf<Value>(
  voices: readonly Voice<Value>[],
): { value: Value; from: string } | undefined {
  for (const [from, value] of voices) {
    if (value !== undefined) return { value, from };
  }
  return undefined;
}
