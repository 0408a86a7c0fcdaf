/** Keys and, in lists, numbers: `["permissions", "deny", 0]`. */
export type KeyPath = readonly PropertyKey[];

const deepestNesting = 64;

/** Keys with which untrusted data could reach into every object of the program. */
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * A copy that is safe to walk and to merge: objects without a prototype, no key that could reach one, and no nesting
 * that could exhaust the stack. `report` gets every omission.
 */
export function plainValues(
  values: Readonly<Record<string, unknown>>,
  report: (path: KeyPath, message: string) => void,
): Record<string, unknown> {
  const copy = emptyObject();
  for (const [key, value] of Object.entries(values)) {
    if (forbidden.has(key)) report([key], forbiddenKey(key));
    // The object that holds this value is the first level.
    else if (isTooDeep(value, deepestNesting - 1))
      report(
        [key],
        `'${key}' is nested deeper than ${deepestNesting} levels and is left out. Flatten it.`,
      );
    else copy[key] = copyValue(value, [key], report);
  }
  return copy;
}

export function emptyObject(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function forbiddenKey(key: string): string {
  return `The key '${key}' is ignored: it has a special meaning in JavaScript. Remove or rename it.`;
}

/**
 * Whether objects and lists are nested deeper. Walks level by level with a list, not with the stack, which nesting
 * could exhaust.
 */
export function isTooDeep(value: unknown, levels: number): boolean {
  const open: { value: unknown; level: number }[] = [{ value, level: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.level > levels) return true;
    for (const inner of Object.values(next.value))
      open.push({ value: inner, level: next.level + 1 });
  }
  return false;
}

function copyValue(
  value: unknown,
  path: KeyPath,
  report: (path: KeyPath, message: string) => void,
): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => copyValue(item, [...path, index], report));
  if (typeof value !== "object" || value === null) return value;
  const copy = emptyObject();
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    if (forbidden.has(key)) report(at, forbiddenKey(key));
    else copy[key] = copyValue(inner, at, report);
  }
  return copy;
}
