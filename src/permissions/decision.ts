import type { ConfinedTo } from "../platform/sandbox/confined-to.ts";
import type { SourcedRule } from "../contract/resolved-agent.ts";

export type { SourcedRule } from "../contract/resolved-agent.ts";

/** The outcome for a call: run, run if a person says so, or not run. */
export type Verdict = "allow" | "ask" | "deny";

export type RuleKind = SourcedRule["kind"];

/** How a command uses the session's tree of files while it runs. */
export interface TreeUse {
  /** Whether it moves, removes or copies directories, and must be alone. */
  readonly moves: boolean;
  /** A part of it may still run when it has ended. */
  readonly runsOn: boolean;
  /** Whether it goes on beside other commands and may make links: no path is known for certain meanwhile. */
  readonly makesLinks?: true;
}

/** A verdict that explains itself. */
export interface Decision {
  readonly verdict: Verdict;
  /** One sentence for the person or the model that reads it. */
  readonly reason: string;
  readonly rule: SourcedRule | null;
  /** The part of the command that decided; `null`: all of it. */
  readonly part: string | null;
  /** Rules that together would allow exactly this call. None: no rule can, or it would allow more. */
  readonly suggestions: readonly string[];
  /** The kernel's limit for a command that no rule, grant, mode or person allowed; `null`: none besides the settings. */
  readonly confinedTo: ConfinedTo | null;
  /** How a command relies on the paths that were looked at, because nobody approved some part of it, or changes them. */
  readonly tree?: TreeUse;
}
