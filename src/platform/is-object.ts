/** Whether a value is an object in the sense of JSON: keys and values in braces. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
