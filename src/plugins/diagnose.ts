import type { Diagnostic } from "../contract/diagnostic.ts";

/** A diagnostic about a whole file, unless the problem says where. */
export function diagnose(file: string, problem: Problem): Diagnostic {
  return { line: 1, column: 1, field: null, ...problem, file };
}

export type Problem = Pick<Diagnostic, "severity" | "code" | "message"> &
  Partial<Pick<Diagnostic, "line" | "column" | "field" | "agent">>;

/** A stranger's text inside a message. */
export function shown(text: string): string {
  return `'${text.length > 80 ? `${text.slice(0, 79)}…` : text}'`;
}
