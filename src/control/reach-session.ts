import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readLease } from "../transcript/lease/lease.ts";
import { ControlClient } from "./client.ts";

/** A session opens its socket a moment after it has begun, or after its first question. */
const patienceMs = 5000;

/**
 * A line to the process that owns a session; nothing when none does, or when the owner opens no socket. Throws `unreachable`
 * when its socket cannot be used.
 */
export async function reachSession(
  sessionDir: string,
  signal?: AbortSignal,
): Promise<ControlClient | undefined> {
  for (const until = performance.now() + patienceMs; ;) {
    const found = readLease(join(sessionDir, "lease.json"));
    if (found.state !== "held") return undefined;
    const { socket } = found.lease;
    if (socket !== null) return ControlClient.open({ ...found.lease, socket }, signal);
    if (performance.now() > until) return undefined;
    await sleep(50, undefined, { ...(signal && { signal }) });
  }
}
