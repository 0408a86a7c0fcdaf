import type { Diagnostic } from "../contract/diagnostic.ts";
import { isObject } from "../platform/is-object.ts";
import { plainValues } from "../platform/plain-values.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { positionAt, scanJson } from "../platform/scan-json.ts";
import { diagnose } from "./diagnose.ts";

export type JsonFile =
  | { kind: "object"; value: Record<string, unknown>; diagnostics: Diagnostic[] }
  | { kind: "missing" }
  | { kind: "broken"; diagnostic: Diagnostic };

const largest = 256 * 1024;

/** Reads a JSON object from a file that strangers write; unsafe keys are left out. Never throws. */
export function readJsonFile(file: string): JsonFile {
  const read = readSmallFile(file, largest);
  if (read.kind === "missing") return read;
  if (read.kind === "refused")
    return broken(file, `It is not read: ${read.reason}. Put a plain file there.`);
  const text = read.text.replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { offset, reason } = scanJson(text).error ?? { offset: 0, reason: "it is broken" };
    const message = `This is not valid JSON: ${reason}. Correct it.`;
    return broken(file, message, positionAt(text, offset));
  }
  if (!isObject(value)) return broken(file, "The file must hold one JSON object: {…}.");
  const diagnostics: Diagnostic[] = [];
  const plain = plainValues(value, (_path, message) => {
    diagnostics.push(diagnose(file, { severity: "warning", code: "invalid", message }));
  });
  return { kind: "object", value: plain, diagnostics };
}

function broken(
  file: string,
  message: string,
  place: Partial<Pick<Diagnostic, "line" | "column">> = {},
): JsonFile {
  const problem = { severity: "error", code: "unreadable", message, ...place } as const;
  return { kind: "broken", diagnostic: diagnose(file, problem) };
}
