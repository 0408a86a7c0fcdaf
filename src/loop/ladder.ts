/**
 * The steps of every deadline, as data: a warning, the limit itself, and the grace time after it. The limits are
 * settings; these are not.
 */
export const ladder = {
  /** Fraction of a limit at which a warning is emitted. */
  warnAt: 0.8,
  /** Grace time of a tool call after its abort. Ending a stubborn process takes five seconds. */
  toolGraceMs: 6000,
  /** Time limit of an agent's cleanup; then the agent ends without it. */
  cleanupMs: 15_000,
} as const;

/** Formats a limit for people and models: `30 min`, `0.3 s`. */
export function spokenTime(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  if (Number.isInteger(minutes)) return `${minutes} min`;
  return `${Math.round(milliseconds / 10) / 100} s`;
}
