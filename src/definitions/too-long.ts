import { isObject } from "../platform/is-object.ts";

/** More entries than anybody writes; each of them is compared with every tool. */
export const mostEntries = 1000;
/** Where counting ends: parts of a value may be used many times in it. */
const mostCounted = 100_000;

/**
 * The problem of a field with too many entries, with the remedy; `null`: none. Looks at no entry of a list that is
 * too long.
 */
export function tooLong(field: string, value: unknown): string | null {
  const count = freeForm.has(field) ? 0 : entriesOf(value);
  if (count <= mostEntries) return null;
  const most = count > mostCounted ? `more than ${mostCounted}` : count;
  return `'${field}' has ${most} entries, and an agent may have ${mostEntries}: it is not loaded. Shorten the list, or split the agent into several.`;
}

/** A JSON Schema is as large as its author needs it, and is only kept. */
const freeForm: ReadonlySet<string> = new Set(["outputSchema"]);

/** Those of lists and maps, at every level. */
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
