import type { Line } from "./line.ts";
import type { Limit } from "./limit.ts";

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

export function roomOf(
  limit: Limit,
  lines: Iterable<Pick<Line<unknown>, "limits" | "oldest">>,
  now: number,
): Room {
  let oldest = now;
  for (const line of lines) {
    if (line.limits.includes(limit)) oldest = Math.min(oldest, line.oldest?.since ?? now);
  }
  const { held: running, queued, waking, lent } = limit.counts;
  return {
    running,
    queued,
    waiting: lent + waking,
    limit: limit.limit,
    free: limit.limit - running,
    oldestWaitMs: now - oldest,
  };
}
