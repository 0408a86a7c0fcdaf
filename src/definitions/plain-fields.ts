/**
 * Reads frontmatter that is nothing but simple `key: value` lines, as most people's is, and exactly as YAML would; any
 * other is left to YAML, which takes long to load and longer to read. `undefined`: it is not that simple.
 */
export function readPlainFields(head: string): Record<string, unknown> | undefined {
  const fields = new Map<string, unknown>();
  for (const line of head.split("\n")) {
    if (line === "") continue;
    const [, key, text] = /^([A-Za-z_][\w-]{0,99}): (\S(?:.*\S)?)$/.exec(line) ?? [];
    if (key === undefined || text === undefined || fields.has(key)) return undefined;
    if (spoken(key) === undefined) return undefined;
    const value = plainValue(text);
    if (value === undefined) return undefined;
    fields.set(key, value);
  }
  return fields.size === 0 ? undefined : Object.fromEntries(fields);
}

function plainValue(text: string): unknown {
  if (words.test(text)) return text === "true" ? true : text === "false" ? false : spoken(text);
  if (quoted.test(text)) return text.slice(1, -1);
  if (integer.test(text)) return Number(text);
  if (!list.test(text)) return undefined;
  const items = text.slice(1, -1).split(", ");
  return items.every((item) => spoken(item) === item) ? items : undefined;
}

/** Printable ASCII from a letter on, without the two characters that may end it or make it a key. */
const words = /^[A-Za-z][\x20-\x22\x24-\x39\x3b-\x7e]*$/;
const quoted = /^"[\x20\x21\x23-\x5b\x5d-\x7e]*"$/;
const integer = /^[1-9]\d{0,8}$/;
const list = /^\[[A-Za-z][\w-]*(?:, [A-Za-z][\w-]*)*\]$/;

/** The text itself, unless YAML has a meaning of its own for it. */
function spoken(text: string): string | undefined {
  return /^(?:true|false|null)$/i.test(text) ? undefined : text;
}
