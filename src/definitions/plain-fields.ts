/**
 * Parses simple frontmatter, as most files have it (words, quoted texts, lists, texts of several lines, nested fields),
 * exactly as YAML would. Other frontmatter is left to the YAML parser, which is slow to load and slower to run.
 * `undefined`: not simple enough.
 */
export function readPlainFields(head: string): Record<string, unknown> | undefined {
  if (head.includes("\t")) return undefined;
  const parser = new FieldParser(head.replace(/\n$/, "").split("\n"));
  const fields = parser.mapping(0, 1);
  return parser.isAtEnd && fields !== undefined && Object.keys(fields).length > 0
    ? fields
    : undefined;
}

const deepest = 8;

class FieldParser {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#lines.length;
  }

  /** Parses fields at one depth, up to a line with less indentation. */
  mapping(indent: number, depth: number): Record<string, unknown> | undefined {
    const fields = new Map<string, unknown>();
    for (
      let next = this.#next();
      next !== undefined && next.indent >= indent;
      next = this.#next()
    ) {
      const [, key, text] = /^([A-Za-z_][\w-]{0,99}):(?: +(\S(?:.*\S)?) *)?$/.exec(next.text) ?? [];
      if (key === undefined || next.indent > indent || fields.has(key) || hasMeaning(key))
        return undefined;
      this.#at += 1;
      const value =
        text === undefined
          ? this.#below(indent, depth)
          : /^[|>]-?$/.test(text)
            ? this.#textBelow(indent, text)
            : (scalar(text) ?? flowList(text));
      if (value === undefined) return undefined;
      fields.set(key, value);
    }
    return Object.fromEntries(fields);
  }

  /** Parses the value of a field whose own line has none. */
  #below(indent: number, depth: number): unknown {
    const next = this.#next();
    if (next?.text.startsWith("- ") === true && next.indent >= indent)
      return this.#list(next.indent);
    if (next === undefined || next.indent <= indent) return null;
    return depth >= deepest ? undefined : this.mapping(next.indent, depth + 1);
  }

  #list(indent: number): unknown[] | undefined {
    const items: unknown[] = [];
    for (
      let next = this.#next();
      next !== undefined && next.indent >= indent;
      next = this.#next()
    ) {
      if (next.indent === indent && !next.text.startsWith("- ")) break;
      const value = next.indent === indent ? scalar(next.text.slice(2).trim()) : undefined;
      if (value === undefined) return undefined;
      items.push(value);
      this.#at += 1;
    }
    return items;
  }

  /** Parses a block text: `|` keeps line ends, `>` turns them into blanks. */
  #textBelow(indent: number, style: string): string | undefined {
    const first = this.#lines[this.#at] ?? "";
    const margin = indentOf(first);
    if (margin <= indent || first.trim() === "") return undefined;
    const lines: string[] = [];
    for (; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#lines[this.#at] ?? "";
      if (line === "") {
        // Folded text has special rules for empty lines and lines with more indentation.
        if (style.startsWith(">")) return undefined;
      } else if (line.trim() === "") return undefined;
      else if (indentOf(line) < margin) break;
      else if (style.startsWith(">") && indentOf(line) > margin) return undefined;
      lines.push(line.slice(margin));
    }
    const next = this.#next();
    if (next !== undefined && next.indent > indent) return undefined;
    if (lines.some((line) => !printable.test(line))) return undefined;
    const text = lines.join(style.startsWith(">") ? " " : "\n").replace(/\n+$/, "");
    return style.endsWith("-") ? text : `${text}\n`;
  }

  /** The next line that is not empty. */
  #next(): { indent: number; text: string } | undefined {
    while (this.#lines[this.#at] === "") this.#at += 1;
    const line = this.#lines[this.#at];
    if (line === undefined) return undefined;
    const indent = indentOf(line);
    return { indent, text: line.slice(indent) };
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function scalar(text: string): unknown {
  if (words.test(text) && !/ #|: |:$/.test(text)) {
    if (text === "true" || text === "false") return text === "true";
    return hasMeaning(text) ? undefined : text;
  }
  if (doubleQuoted.test(text)) return JSON.parse(text) as string;
  if (singleQuoted.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  if (/^(?:0|[1-9]\d{0,8})$/.test(text)) return Number(text);
  if (/^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(text)) return text;
  return undefined;
}

function flowList(text: string): unknown[] | undefined {
  if (text === "[]") return [];
  if (!/^\[[^[\]{}]+\]$/.test(text)) return undefined;
  const items = text
    .slice(1, -1)
    .split(",")
    .map((item) => item.trim());
  const values = items.map((item) =>
    /^[A-Za-z][\w ./-]*$|^"[\w ./*()-]*"$/.test(item) ? scalar(item) : undefined,
  );
  return values.includes(undefined) ? undefined : values;
}

/** Printable text from a letter on. */
const words = /^[A-Za-z][\x20-\x7e\u00a1-\u1fff\u2010-\u2027\u2030-\ufefe\uff00-\ufffd]*$/;
const doubleQuoted =
  /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e\u00a1-\u1fff\u2010-\u2027\u2030-\ufefe\uff00-\ufffd]|\\["\\/bfnrt])*"$/;
const singleQuoted =
  /^'(?:[\x20-\x26\x28-\x7e\u00a1-\u1fff\u2010-\u2027\u2030-\ufefe\uff00-\ufffd]|'')*'$/;
const printable = /^[\x20-\x7e\u00a1-\u1fff\u2010-\u2027\u2030-\ufefe\uff00-\ufffd]*$/;

/** Whether YAML gives the text a meaning of its own. */
function hasMeaning(text: string): boolean {
  return /^(?:true|false|null)$/i.test(text);
}
