/**
 * A finding about a file that people write: an agent, a skill, a plugin, settings. Loading never throws; it reports.
 */
export interface Diagnostic {
  /** `error`: the item is not loaded; `warning`: it is loaded, but not as written; `info`: nothing is lost. */
  readonly severity: "error" | "warning" | "info";
  readonly code: DiagnosticCode;
  /** The file, or, for display, the option that held the value. */
  readonly file: string;
  /** Line and column count from 1. */
  readonly line: number;
  readonly column: number;
  readonly field: string | null;
  /** The agent type of a file that is not loaded. */
  readonly agent?: string;
  /** The problem and what to write instead. */
  readonly message: string;
}

export type DiagnosticCode =
  /** The file cannot be read or is not in its format. */
  | "unreadable"
  | "missing"
  | "invalid"
  | "unknown"
  /** Valid, but this version does not act on it. */
  | "unsupported"
  /** Valid, but kept from acting by a policy, a higher scope or missing trust. */
  | "inert"
  /** Another file of the same name wins. */
  | "shadowed"
  /** Read in a way that the author may not expect. */
  | "repaired";
