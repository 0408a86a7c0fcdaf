import { definitionFields } from "./fields.ts";

/**
 * Recovers fields from text that no YAML parser accepts; the last resort of the lenient mode. A line that begins with
 * the name of a field begins that field, and every other line belongs to the field before it. `null`: there is no such
 * line.
 */
export function recoverFields(head: string): Record<string, unknown> | null {
  const fields = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of head.split("\n")) {
    const [, key, value] = /^([A-Za-z_]+):(?:\s+(.*))?$/.exec(line) ?? [];
    if (key !== undefined && isField(key)) {
      current = value === undefined ? [] : [value];
      fields.set(key, current);
    } else current?.push(line);
  }
  if (fields.size === 0) return null;
  return Object.fromEntries(
    [...fields].map(([key, lines]) => [key, unquoted(lines.join("\n").trim())]),
  );
}

function isField(key: string): boolean {
  return key === "name" || key === "description" || Object.hasOwn(definitionFields, key);
}

function unquoted(value: string): string {
  return /^(["']).*\1$/s.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}
