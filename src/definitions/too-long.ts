import { isObject } from "../platform/is-object.ts";

/** More entries than a person writes; each of them is compared with every tool. */
export const mostEntries = 1000;
/** Limit of counting: parts of a value may be repeated in it many times. */
const mostCounted = 100_000;

/**
 * The problem of a field with too many entries, with the remedy; `null`: none. Does not read the entries of a list that
 * is too long.
 */
export function tooLong(field: string, value: unknown): string | null {
  const count = freeForm.has(field) ? 0 : entriesOf(value);
  if (count <= mostEntries) return null;
  const most = count > mostCounted ? `more than ${mostCounted}` : count;
  return `'${field}' has ${most} entries, and the limit is ${mostEntries}: the agent is not loaded. Shorten the list, or split the agent into several.`;
}

/** Fields without a limit: a JSON Schema is as large as its author needs, and is only stored. */
const freeForm: ReadonlySet<string> = new Set(["outputSchema"]);

/** Entries of lists and maps, at every level. */
function entriesOf(value: unknown): number {
  let count = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && count <= mostCounted) {
    const next = left.pop();
    if (!Array.isArray(next) && !isObject(next)) continue;
    const length = Array.isArray(next) ? next.length : Object.keys(next).length;
    count += length;
    if (length <= mostEntries) left.push(...Object.values(next));
  }
  return count;
}
