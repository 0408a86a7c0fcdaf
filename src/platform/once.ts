/** Runs `work` at most once and hands everybody the same answer. */
export function once<Value>(work: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: work() }).value;
}
