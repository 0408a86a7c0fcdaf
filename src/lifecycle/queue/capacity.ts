import type { Claimant, Limit } from "./slots.ts";

/** How much of one limit is used. The main agent takes no slot, and ended agents take none any more: they are in no figure. */
export interface Room {
  /** Agents that hold a slot. */
  running: number;
  /** Agents in line that have not started. */
  queued: number;
  /** Agents that wait for a child or a person, or for a slot after that. They hold none. */
  waiting: number;
  limit: number;
  /** Slots that nobody holds. Another limit may still be in the way of taking one. */
  free: number;
  /** How long the one that has been in line longest has been there; 0 when nobody is. */
  oldestWaitMs: number;
}

/** How much of a session's limits is used: of the whole, and of each type, model and provider that has a limit of its own. */
export interface Capacity extends Room {
  byType: Record<string, Room>;
  byModel: Record<string, Room>;
  byProvider: Record<string, Room>;
}

export function roomOf(limit: Limit, claimants: Iterable<Claimant>, now: number): Room {
  const counts = { outside: 0, queued: 0, waking: 0, held: 0, lent: 0 };
  let oldest = now;
  for (const { limits, standing, since } of claimants) {
    if (!limits.includes(limit)) continue;
    counts[standing] += 1;
    if (standing === "queued" || standing === "waking") oldest = Math.min(oldest, since);
  }
  return {
    running: limit.held,
    queued: counts.queued,
    waiting: counts.lent + counts.waking,
    limit: limit.max,
    free: limit.max - limit.held,
    oldestWaitMs: now - oldest,
  };
}
