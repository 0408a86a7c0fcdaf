import type { Diagnostic } from "../contract/diagnostic.ts";
import type { KeyPath } from "../platform/plain-values.ts";
import type { Scope } from "./scopes.ts";

export type Values = Readonly<Record<string, unknown>>;

/** The origin of a setting. */
export interface SettingOrigin {
  readonly scope: Scope;
  /** The file, or, for display, the option that held the value. */
  readonly file: string;
}

/** The settings of one file, or of the command line. */
export interface SettingsLayer extends SettingOrigin {
  readonly values: Values;
  /** Position of a key in the file, both numbers from 1. */
  readonly position?: (path: KeyPath) => Position;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A finding about one key of a layer. */
export interface SettingProblem extends Pick<Diagnostic, "severity" | "code" | "message"> {
  readonly path: KeyPath;
}

const mostProblems = 100;

/**
 * Diagnostics of a layer, at most a hundred: a file with a hundred thousand bad keys is a stranger's, and locating each
 * takes time.
 */
export function layerDiagnostics(
  layer: SettingsLayer,
  problems: readonly SettingProblem[],
): Diagnostic[] {
  const shown = problems.slice(0, mostProblems).map(({ path, ...problem }): Diagnostic => {
    const { line, column } = layer.position?.(path) ?? start;
    return { ...problem, file: layer.file, line, column, field: pathText(path) };
  });
  const [first] = shown;
  if (first === undefined || problems.length === shown.length) return shown;
  const message = `${problems.length - shown.length} more problems are not listed.`;
  return [...shown, { ...first, ...start, field: null, message }];
}

export const start: Position = { line: 1, column: 1 };

export function pathText(path: KeyPath): string {
  return path.map(String).join(".");
}
