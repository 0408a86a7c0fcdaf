/** What a call may do: run, run if a person says so, or not run. */
export type Verdict = "allow" | "ask" | "deny";

export type RuleKind = "deny" | "ask" | "allow";

/** A rule as somebody wrote it, and where. */
export interface SourcedRule {
  readonly kind: RuleKind;
  /** `Tool` or `Tool(specifier)` */
  readonly rule: string;
  /** A file, `--allowedTools`, a grant: for people. */
  readonly source: string;
}

/** A verdict that explains itself. */
export interface Decision {
  readonly verdict: Verdict;
  /** One sentence for the person or the model that reads it. */
  readonly reason: string;
  readonly rule: SourcedRule | null;
  /** The part of the command that decided; `null`: all of it. */
  readonly part: string | null;
  /** Rules that would allow the call, narrowest first. */
  readonly suggestions: readonly string[];
}
