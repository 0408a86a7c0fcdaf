import type { PlainHeaders } from "./plain-headers.ts";

/** Servers close connections that nothing went over for a while: after this a new one is better than one that breaks. */
export const longestIdleMs = 5000;

/** How long a connection can wait for its next request, as far as its server says (`Keep-Alive: timeout=5`, in seconds). */
export function idleMs(headers: PlainHeaders): number {
  const seconds = /(?:^|[,;\s])timeout=(\d+)/i.exec(headers.get("keep-alive") ?? "")?.[1];
  if (seconds === undefined) return longestIdleMs;
  // A request that is on its way when the time is over comes too late.
  return Math.min(longestIdleMs, Math.max(0, Number(seconds) - 1) * 1000);
}
