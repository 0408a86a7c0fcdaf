/** Something to tell about a file that people write: an agent, a skill, a plugin, settings. Loading never throws; it reports. */
export interface Diagnostic {
  /** `error`: it is not loaded; `warning`: not as written; `info`: nothing is lost. */
  readonly severity: "error" | "warning" | "info";
  readonly code: DiagnosticCode;
  /** The file, or for people the option that it came with. */
  readonly file: string;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly field: string | null;
  /** By what name the agent would be asked for, when its file is not loaded. */
  readonly agent?: string;
  /** What is wrong and what to write instead. */
  readonly message: string;
}

export type DiagnosticCode =
  /** The file cannot be read or is not in its format. */
  | "unreadable"
  | "missing"
  | "invalid"
  | "unknown"
  /** Right, but this version does not act on it. */
  | "unsupported"
  /** Right, but somebody with more say, a policy or a missing trust, keeps it from acting. */
  | "inert"
  /** Another file of the same name wins. */
  | "shadowed"
  /** Read in a way that its author may not expect. */
  | "repaired";
