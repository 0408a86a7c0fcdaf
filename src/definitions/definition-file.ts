import { basename } from "node:path";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { toDefinition, type AgentDefinition } from "./definition.ts";
import { parseFrontmatter, type FieldPlace } from "./frontmatter.ts";
import type { SourceName } from "./sources.ts";

export interface Loaded {
  readonly definitions: readonly AgentDefinition[];
  readonly diagnostics: readonly Diagnostic[];
  /** Positions of the fields. */
  readonly places?: ReadonlyMap<string, FieldPlace>;
}

/** Loads at most one definition from a file. Also used for prompts in the same format. Never throws. */
export async function loadDefinitionFile(
  file: string,
  source: SourceName,
  options: { lenient?: boolean } = {},
): Promise<Loaded> {
  const text = readDefinition(file);
  if (typeof text !== "string") return text;
  const parsed = await parseFrontmatter(text, options);
  if (parsed.kind === "none")
    return unloaded(file, parsed.reason, { severity: parsed.isMeant ? "error" : "warning" });
  if (parsed.kind === "broken") {
    const { field, message: why } = parsed;
    const remedy =
      field === null
        ? "Quote the value"
        : `Quote '${field}', or, when it has several lines, write '${field}: |' and indent them`;
    const message = `The frontmatter is not valid YAML: ${why}. ${remedy}; --lenient reads most such files.`;
    return unloaded(file, message, parsed);
  }
  const { places, notices } = parsed;
  const { definition, diagnostics } = toDefinition(parsed.fields, {
    prompt: parsed.body.trim(),
    source,
    file,
    where: file,
    places,
    ...(options.lenient === true ? { fallbackName: basename(file, ".md") } : {}),
  });
  return {
    definitions: definition === null ? [] : [definition],
    diagnostics: [...notices.map((notice) => ({ ...notice, file })), ...diagnostics],
    places,
  };
}

/** Limit in bytes; a longer file is no definition. */
export const largestDefinition = 256 * 1024;

/** The text, or the reason why there is none. */
export function readDefinition(file: string): string | Loaded {
  const read = readSmallFile(file, largestDefinition);
  if (read.kind === "text") return read.text;
  const why = read.kind === "missing" ? "it is gone" : read.reason;
  return unloaded(
    file,
    `The file is not read: ${why}. Replace it with a readable regular file of at most ${largestDefinition / 1024} KiB, or remove it.`,
  );
}

export function unloaded(
  file: string,
  message: string,
  options: { severity?: Diagnostic["severity"]; line?: number; column?: number } = {},
): Loaded {
  const { severity = "error", line = 1, column = 1 } = options;
  return {
    definitions: [],
    diagnostics: [{ severity, code: "unreadable", file, line, column, field: null, message }],
  };
}
