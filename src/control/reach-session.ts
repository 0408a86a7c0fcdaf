import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RetinueError } from "../contract/errors.ts";
import { readLease } from "../transcript/lease/lease.ts";
import { ControlClient } from "./client.ts";

/** Time to wait for a socket: a session opens it a moment after its start, or after its first question. */
const patienceMs = 5000;

/**
 * Connects to the process that owns a session; undefined if there is no owner. Throws `deaf`, made for the owner's
 * process id, if the owner opens no socket, and `unreachable` if its socket cannot be used.
 */
export async function reachSession(
  sessionDir: string,
  { deaf, signal }: { deaf: (pid: number) => RetinueError; signal?: AbortSignal | undefined },
): Promise<ControlClient | undefined> {
  for (const until = performance.now() + patienceMs; ;) {
    const found = readLease(join(sessionDir, "lease.json"));
    if (found.state !== "held") return undefined;
    const { socket, pid } = found.lease;
    if (socket !== null) return ControlClient.open({ ...found.lease, socket }, signal);
    if (performance.now() > until) throw deaf(pid);
    await sleep(50, undefined, { ...(signal && { signal }) });
  }
}
