import type { DiagnosticCode } from "../contract/diagnostic.ts";
import { schemaOf } from "./fields.ts";
import { readPlainFields } from "./plain-fields.ts";
import { recoverFields } from "./recover-fields.ts";
import { tangle } from "./tangle.ts";

/**
 * Splits a Markdown file into its YAML frontmatter and its body, and parses the YAML as people write it. It accepts
 * duplicate keys (the last wins), leading tabs, and values with `: ` or other YAML punctuation without quotes.
 *
 * `lenient` also accepts files that other programs refuse: a byte order mark, blank lines before the frontmatter, and
 * text of several lines that is not YAML.
 */
export async function parseFrontmatter(
  text: string,
  options: { lenient?: boolean } = {},
): Promise<Frontmatter> {
  const lenient = options.lenient === true;
  const skipped = lenient ? (/^\uFEFF?(?:[ \t]*\r?\n)*/.exec(text)?.[0] ?? "") : "";
  const all = text.slice(skipped.length);
  const opening = /^---[ \t]*\r?\n/.exec(all);
  if (opening === null) {
    return { kind: "none", reason: whyNone(text), isMeant: /^\s*---/.test(text), body: text };
  }
  const rest = all.slice(opening[0].length);
  // Not /^---/m, for which U+2028 and a lone CR inside a value begin a line too.
  const closing = rest.startsWith("---") ? 0 : rest.indexOf("\n---") + 1;
  if (closing === 0 && !rest.startsWith("---")) {
    const reason = "The frontmatter is not closed: end it with a line '---'.";
    return { kind: "none", reason, isMeant: true, body: text };
  }
  const head = withoutReturns(rest.slice(0, closing));
  const body = withoutReturns(rest.slice(closing)).replace(/^-+[ \t]*(\n|$)/, "");

  const before = skipped.split("\n").length;
  const { places, notices } = fieldPlaces(head, before);
  if (skipped !== "")
    notices.unshift(notice(1, "repaired", "Text before '---' is skipped. Remove it."));
  const found = (fields: Record<string, unknown>, ...more: Notice[]): Frontmatter => ({
    kind: "fields",
    fields,
    body,
    places,
    notices: [...notices, ...more],
  });
  const plain = readPlainFields(head);
  if (plain !== undefined) return found(plain);
  const tangled = tangle(head);
  if (tangled !== null) {
    return { kind: "broken", line: before + 1, column: 1, message: tangled, field: null, body };
  }
  const stray = strayColon(head);
  const quoted = stray === null ? undefined : readPlainFields(quoteValues(head));
  if (stray !== null && quoted !== undefined) {
    return found(quoted, notice(stray + before, "repaired", misread("a value holds ': '")));
  }
  const strict = await readYaml(head);
  if (strict.kind === "fields") return found(strict.fields);
  const line = strict.line + before;
  const repaired = await readYaml(quoteValues(head));
  const recovered =
    repaired.kind === "fields" ? repaired.fields : lenient ? recoverFields(head) : null;
  if (recovered !== null)
    return found(recovered, notice(line, "repaired", misread(strict.message)));
  const field = fieldAround(places, line);
  return { kind: "broken", line, column: strict.column, message: strict.message, field, body };
}

/** Removes carriage returns at line ends. In one pass: there may be a hundred thousand. */
function withoutReturns(text: string): string {
  if (!text.includes("\r")) return text;
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const ended = lines.map((line) => {
    let end = line.length;
    while (line[end - 1] === "\r") end -= 1;
    return line.slice(0, end);
  });
  return [...ended, last].join("\n");
}

export type Frontmatter =
  | {
      kind: "fields";
      fields: Record<string, unknown>;
      body: string;
      /** Positions of the top-level fields in the file; the last one of a repeated field. */
      places: ReadonlyMap<string, FieldPlace>;
      /** Remarks about surprising readings. */
      notices: readonly Notice[];
    }
  /** `isMeant`: the text looks like an attempt at frontmatter. */
  | { kind: "none"; reason: string; isMeant: boolean; body: string }
  /** `field`: the field with the error. */
  | ({ kind: "broken"; message: string; field: string | null; body: string } & FieldPlace);

/** Line and column, both from 1. */
export interface FieldPlace {
  line: number;
  column: number;
}

export interface Notice extends FieldPlace {
  severity: "warning" | "info";
  code: DiagnosticCode;
  field: string | null;
  message: string;
}

type ParsedYaml =
  | { kind: "fields"; fields: Record<string, unknown> }
  | ({ kind: "broken"; message: string } & FieldPlace);

async function readYaml(source: string): Promise<ParsedYaml> {
  const { parseDocument } = await import("yaml");
  const text = source.replaceAll(/^\t+/gm, (tabs) => "  ".repeat(tabs.length));
  try {
    // The parser's own error excerpts take longer than the parsing, for each of a thousand errors.
    const document = parseDocument(text, {
      uniqueKeys: false,
      logLevel: "silent",
      prettyErrors: false,
    });
    const [error] = document.errors;
    if (error !== undefined) {
      return { kind: "broken", ...placeOf(error.pos[0], text), message: error.message };
    }
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { kind: "fields", fields: Object.fromEntries(Object.entries(value)) };
    }
  } catch (error) {
    const message =
      error instanceof ReferenceError
        ? "aliases (*name) are not allowed in frontmatter"
        : "it is nested too deeply";
    return { kind: "broken", line: 1, column: 1, message };
  }
  const message = "the frontmatter is not a list of 'key: value' lines";
  return { kind: "broken", line: 1, column: 1, message };
}

function placeOf(offset: number, text: string): FieldPlace {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function whyNone(text: string): string {
  if (text.startsWith("\uFEFF"))
    return "The file starts with a byte order mark: save it as UTF-8 without one, or use --lenient (the setting agents.lenient).";
  if (/^\s+---[ \t]*\r?\n/.test(text))
    return "There are blank lines before the frontmatter: remove them, or use --lenient (the setting agents.lenient).";
  return "No frontmatter: the file must start with a line '---' followed by 'name:' and 'description:'.";
}

function fieldPlaces(
  head: string,
  before: number,
): { places: Map<string, FieldPlace>; notices: Notice[] } {
  const places = new Map<string, FieldPlace>();
  const notices: Notice[] = [];
  const indent = /^[ \t]*(?=[\w-]+:)/m.exec(head)?.[0] ?? "";
  for (const [index, text] of head.split("\n").entries()) {
    const key = text.startsWith(indent) ? /^([\w-]+):/.exec(text.slice(indent.length)) : null;
    if (key?.[1] === undefined) continue;
    const place = { line: index + before + 1, column: indent.length + 1 };
    if (places.has(key[1])) {
      const message = `'${key[1]}' is given a second time here; this value is used. Remove the other.`;
      notices.push({ ...place, severity: "warning", code: "repaired", field: key[1], message });
    }
    places.set(key[1], place);
  }
  return { places, notices };
}

/** The last known field that begins at or before this line; only known ones, because text may look like a field. */
function fieldAround(places: ReadonlyMap<string, FieldPlace>, line: number): string | null {
  const before = [...places].filter(
    ([name, place]) =>
      place.line <= line && (name === "description" || schemaOf(name) !== undefined),
  );
  return before.toSorted(([, a], [, b]) => b.line - a.line)[0]?.[0] ?? null;
}

function notice(line: number, code: DiagnosticCode, message: string): Notice {
  return { line, column: 1, severity: "info", code, field: null, message };
}

function misread(reason: string): string {
  return `Not valid YAML (${reason}); values are read as plain text. Quote them.`;
}

/** The line of an unquoted text that holds `: `, which no YAML parser accepts. */
export function strayColon(head: string): number | null {
  const index = head
    .split("\n")
    .findIndex((line) => /^[A-Za-z_-]+: +[A-Za-z](?:(?! #).)*?: /.test(line));
  return index === -1 ? null : index + 1;
}

/** Quotes top-level values that YAML would misread: nearly always a description with a colon in it. */
export function quoteValues(head: string): string {
  return head
    .split("\n")
    .map((line) => {
      const match = /^([A-Za-z_-]+):[ \t]+(.+)$/s.exec(line);
      const [, key, value] = match ?? [];
      if (key === undefined || value === undefined || !needsQuotes(value)) return line;
      return `${key}: "${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
    })
    .join("\n");
}

function needsQuotes(value: string): boolean {
  if (/^(".*"|'.*'|\[.*\])$/.test(value)) return false;
  return /[{}[\]*&#!|>%@`]|: /.test(value);
}
