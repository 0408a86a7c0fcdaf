/** Freezes a value and everything in it. */
export function deepFreeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
