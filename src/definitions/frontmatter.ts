import { readPlainFields } from "./plain-fields.ts";

/**
 * Splits a Markdown file into its YAML frontmatter and its body, and reads the YAML the way people's files need it:
 * duplicate keys (last wins), leading tabs, and values that hold `: ` or other YAML punctuation without quotes.
 */
export async function parseFrontmatter(text: string): Promise<Frontmatter> {
  const opening = /^---[ \t]*\r?\n/.exec(text);
  if (opening === null) return { kind: "none", reason: whyNone(text) };
  const rest = text.slice(opening[0].length);
  const closing = /^---/m.exec(rest);
  if (closing === null)
    return { kind: "none", reason: "The frontmatter is not closed: end it with a line '---'." };
  const head = rest.slice(0, closing.index).replaceAll("\r\n", "\n");
  const body = rest
    .slice(closing.index)
    .replace(/^-+[ \t]*(\r?\n|$)/, "")
    .replaceAll("\r\n", "\n");

  const lines = fieldLines(head);
  const plain = readPlainFields(head);
  if (plain !== undefined) return { kind: "fields", fields: plain, body, lines };
  const strict = await readYaml(head);
  if (strict.kind === "fields") return { ...strict, body, lines };
  const repaired = await readYaml(quoteValues(head));
  if (repaired.kind === "fields") return { ...repaired, body, lines };
  return { kind: "broken", line: strict.line + 1, message: strict.message };
}

export type Frontmatter =
  | {
      kind: "fields";
      fields: Record<string, unknown>;
      body: string;
      /** The line of each top-level field in the file; of a repeated one the last. */
      lines: ReadonlyMap<string, number>;
    }
  | { kind: "none"; reason: string }
  | { kind: "broken"; line: number; message: string };

type Reading =
  | { kind: "fields"; fields: Record<string, unknown> }
  | { kind: "broken"; line: number; message: string };

async function readYaml(source: string): Promise<Reading> {
  const { parseDocument } = await import("yaml");
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

function whyNone(text: string): string {
  if (text.startsWith("\uFEFF"))
    return "The file starts with a byte order mark: save it as UTF-8 without one.";
  return "No frontmatter: the file must start with a line '---' followed by 'name:' and 'description:'.";
}

function fieldLines(head: string): Map<string, number> {
  const fields = head.split("\n").map((line) => /^\s*([\w-]+):/.exec(line)?.[1]);
  return new Map(
    fields.flatMap((field, index) => (field === undefined ? [] : [[field, index + 2] as const])),
  );
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
