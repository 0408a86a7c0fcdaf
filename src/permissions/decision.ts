import type { ConfinedTo } from "../platform/sandbox/confined-to.ts";
import type { SourcedRule } from "../contract/resolved-agent.ts";

export type { SourcedRule } from "../contract/resolved-agent.ts";

/** The outcome for a call: run, run if a person says so, or not run. */
export type Verdict = "allow" | "ask" | "deny";

export type RuleKind = SourcedRule["kind"];

/** `moves`: it moves, removes or copies directories, and must be alone. `runsOn`: a part of it may still run when it has ended. */
export interface TreeUse {
  readonly moves: boolean;
  readonly runsOn: boolean;
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
  /** How a command of which some part was approved by nobody relies on the paths that were looked at. */
  readonly tree?: TreeUse;
}
