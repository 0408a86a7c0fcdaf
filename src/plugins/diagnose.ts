import type { Diagnostic } from "../contract/diagnostic.ts";

/** A diagnostic about a whole file, unless the problem has a position. */
export function diagnose(file: string, problem: PluginProblem): Diagnostic {
  return { line: 1, column: 1, field: null, ...problem, file };
}

export type PluginProblem = Pick<Diagnostic, "severity" | "code" | "message"> &
  Partial<Pick<Diagnostic, "line" | "column" | "field" | "agent">>;

/** Formats a stranger's text for a message. */
export function shown(text: string): string {
  return `'${text.length > 80 ? `${text.slice(0, 79)}…` : text}'`;
}
