import { parseDocument } from "yaml";

/**
 * Splits a Markdown file into its YAML frontmatter and its body, and reads the YAML the way people's files need it:
 * duplicate keys (last wins), leading tabs, and values that hold `: ` or other YAML punctuation without quotes.
 */
export function parseFrontmatter(text: string): Frontmatter {
  const opening = /^---[ \t]*\r?\n/.exec(text);
  if (opening === null) return { kind: "none" };
  const rest = text.slice(opening[0].length);
  const closing = /^---/m.exec(rest);
  if (closing === null) return { kind: "none" };
  const head = rest.slice(0, closing.index).replaceAll("\r\n", "\n");
  const body = rest.slice(closing.index).replace(/^-+[ \t]*(\r?\n|$)/, "");

  const strict = readYaml(head);
  if (strict.kind === "fields") return { ...strict, body };
  const repaired = readYaml(quoteValues(head));
  if (repaired.kind === "fields") return { ...repaired, body };
  return { kind: "broken", line: strict.line + 1, message: strict.message };
}

export type Frontmatter =
  | { kind: "fields"; fields: Record<string, unknown>; body: string }
  | { kind: "none" }
  | { kind: "broken"; line: number; message: string };

type Reading =
  | { kind: "fields"; fields: Record<string, unknown> }
  | { kind: "broken"; line: number; message: string };

function readYaml(source: string): Reading {
  const text = source.replaceAll(/^\t+/gm, (tabs) => "  ".repeat(tabs.length));
  const document = parseDocument(text, { uniqueKeys: false, logLevel: "silent" });
  const [error] = document.errors;
  if (error !== undefined) {
    return {
      kind: "broken",
      line: error.linePos?.[0].line ?? 1,
      message: error.message.split("\n")[0] ?? "",
    };
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { kind: "fields", fields: Object.fromEntries(Object.entries(value)) };
    }
  } catch {
    return { kind: "broken", line: 1, message: "aliases (*name) are not allowed in frontmatter" };
  }
  return {
    kind: "broken",
    line: 1,
    message: "the frontmatter is not a list of 'key: value' lines",
  };
}

/** Quotes top-level values that YAML would misread: nearly always a description with a colon in it. */
function quoteValues(head: string): string {
  return head
    .split("\n")
    .map((line) => {
      const match = /^([A-Za-z_-]+):\s+(.+)$/.exec(line);
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
