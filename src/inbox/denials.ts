import { inputHash } from "./canonical.ts";

const enough = 3;

/** Counts the denials of the same call for an agent, to tell one that keeps trying to stop. */
export class Denials {
  readonly #counts = new Map<string, Map<string, number>>();

  /** Counts one more denial of this call and returns the number. */
  note(agentId: string, tool: string, input: Record<string, unknown>): number {
    const counts = this.#counts.get(agentId) ?? new Map<string, number>();
    this.#counts.set(agentId, counts);
    const key = inputHash(tool, input);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  }

  /** Drops the counts of an ended agent. */
  forget(agentId: string): void {
    this.#counts.delete(agentId);
  }
}

/** The denial as the agent reads it: the reason and, from the third time on, that another try is useless. */
export function denialText(reason: string, count: number): string {
  const text = `Permission denied: ${reason}`;
  if (count < enough) return text;
  return (
    `${text}\nThis very call has now been denied ${count} times. Stop trying it, and do not try to reach the same by ` +
    "other means. Go on without it, or end and report what you could not do and why."
  );
}
