/**
 * The steps of every deadline, as data: a warning, the limit itself, and how long whatever does not heed it is waited for.
 * The limits are settings; these are not.
 */
export const ladder = {
  /** The part of a limit after which somebody is warned. */
  warnAt: 0.8,
  /** How long a tool call may take to end once it was told to. Ending a stubborn process takes five seconds. */
  toolGraceMs: 6000,
  /** How long the cleanup of an agent may take before the agent ends without it. */
  cleanupMs: 15_000,
} as const;

/** `30 min`, `0.3 s`: a limit as people and models read it. */
export function spokenTime(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  if (Number.isInteger(minutes)) return `${minutes} min`;
  return `${Math.round(milliseconds / 10) / 100} s`;
}
