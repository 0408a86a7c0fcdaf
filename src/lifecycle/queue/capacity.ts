import type { Claimant, Limit } from "./slots.ts";

/** Use of one limit. The main agent and ended agents take no slot and are not counted. */
export interface Room {
  /** Agents that hold a slot. */
  running: number;
  /** Agents in line that have not started. */
  queued: number;
  /** Agents that wait for a child or a person, or for a slot after that. They hold no slot. */
  waiting: number;
  limit: number;
  /** Free slots. Another limit may still keep an agent from taking one. */
  free: number;
  /** Longest time that an agent has been in line so far; 0 if the line is empty. */
  oldestWaitMs: number;
}

/** Use of a session's limits: of the whole, and of each type, model and provider with a limit of its own. */
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
