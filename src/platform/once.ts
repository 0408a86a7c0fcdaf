/** Runs `work` at most once and returns the same answer to every caller. */
export function once<Value>(work: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: work() }).value;
}
