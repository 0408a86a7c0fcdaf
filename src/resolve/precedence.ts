/** One voice in a decision: who speaks, and what it says, if anything. */
export type Voice<Value> = readonly [from: string, value: Value | undefined];

/** The first voice that says something decides, and the answer remembers which one it was. */
export function firstOf<Value>(
  voices: readonly Voice<Value>[],
): { value: Value; from: string } | undefined {
  for (const [from, value] of voices) {
    if (value !== undefined) return { value, from };
  }
  return undefined;
}
