/**
 * Redacts every string of plain data, however deep it is nested. Returns the same value if nothing changes; else a
 * copy.
 */
export function redactDeep<Value>(value: Value, redact: (text: string) => string): Value {
  if (typeof value === "string") return redact(value) as Value;
  if (!isPlain(value) || !hasSecret(value, redact)) return value;
  return copy(value, redact) as Value;
}

type Plain = unknown[] | Record<string, unknown>;

/** Whether a value is an array or an object without a class; others are not traversed. */
function isPlain(value: unknown): value is Plain {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether a string or the name of a field changes. Most data has no secret, and needs no copy. */
function hasSecret(root: Plain, redact: (text: string) => string): boolean {
  const seen = new Set<unknown>([root]);
  // A set can grow while it is traversed; so data that contains itself ends too.
  for (const value of seen) {
    if (typeof value === "string" && redact(value) !== value) return true;
    if (!isPlain(value)) continue;
    const isList = Array.isArray(value);
    for (const inner of isList ? value : Object.values(value)) seen.add(inner);
    if (!isList) for (const name of Object.keys(value)) seen.add(name);
  }
  return false;
}

function copy(root: Plain, redact: (text: string) => string): Plain {
  const copies = new Map<Plain, Plain>();
  const open: Plain[] = [];
  const copyOf = (value: Plain): Plain => {
    let made = copies.get(value);
    if (made === undefined) {
      made = Array.isArray(value) ? [] : {};
      copies.set(value, made);
      open.push(value);
    }
    return made;
  };
  const inner = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value);
    return isPlain(value) ? copyOf(value) : value;
  };
  const result = copyOf(root);
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const target = copyOf(value);
    if (Array.isArray(value)) for (const item of value) (target as unknown[]).push(inner(item));
    else for (const key of Object.keys(value)) set(target, redact(key), inner(value[key]));
  }
  return result;
}

/** Sets a key. Two names that become one keep both values; `__proto__` is a name like any other. */
function set(target: Plain, key: string, value: unknown): void {
  let name = key;
  for (let number = 2; Object.hasOwn(target, name); number += 1) name = `${key} ${number}`;
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}
