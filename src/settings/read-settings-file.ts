import type { Diagnostic } from "../contract/diagnostic.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { start, type SettingsLayer, type Position } from "./layer.ts";
import type { KeyPath } from "../platform/plain-values.ts";
import { isObject } from "../platform/is-object.ts";
import { positionAt, scanJson } from "../platform/scan-json.ts";
import type { SettingsFile } from "./scopes.ts";

const largestFile = 1024 * 1024;

/** Reads a settings file; nothing if it is missing or empty. Never throws. */
export function readSettingsFile({ scope, file }: SettingsFile): {
  layer?: SettingsLayer;
  diagnostics: Diagnostic[];
} {
  const read = readSmallFile(file, largestFile);
  if (read.kind === "missing") return { diagnostics: [] };
  if (read.kind === "refused")
    return unreadable(
      file,
      start,
      `The settings are not used: ${read.reason}. Replace it with a readable regular file of at most 1 MiB, or remove it.`,
    );
  const text = read.text.replace(/^\uFEFF/, "");
  if (text.trim() === "") return { diagnostics: [] };
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    const { offset, reason } = scanJson(text).error ?? { offset: 0, reason: "it cannot be parsed" };
    return unreadable(
      file,
      positionAt(text, offset),
      `This is not valid JSON: ${reason}. Correct it; until then the whole file is ignored.`,
    );
  }
  if (!isObject(values))
    return unreadable(
      file,
      start,
      'The file must hold one object: {"model": "sonnet"}. Correct it; until then the whole file is ignored.',
    );
  return { layer: { scope, file, values, position: finder(text) }, diagnostics: [] };
}

function unreadable(
  file: string,
  { line, column }: Position,
  message: string,
): { diagnostics: Diagnostic[] } {
  return {
    diagnostics: [
      { severity: "error", code: "unreadable", file, line, column, field: null, message },
    ],
  };
}

/** Finds positions. Parses the text on first use: most files need none. */
function finder(text: string): (path: KeyPath) => Position {
  let offsets: ReadonlyMap<string, number> | undefined;
  return (path) => {
    offsets ??= scanJson(text).offsets;
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsets.get(JSON.stringify(path.slice(0, length)));
      if (offset !== undefined) return positionAt(text, offset);
    }
    return start;
  };
}
