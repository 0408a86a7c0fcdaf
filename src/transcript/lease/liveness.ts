import { isGone, type ProcessIdentity } from "../../processes/process-identity.ts";
import { readLease } from "./lease.ts";

/**
 * Whether the process that runs an agent is there. The session's lease says more than a process id, which means nothing
 * in another pid namespace or on another machine: while its owner lives, the agents that name it run, and all others do
 * not.
 */
export function isRunBy(process: ProcessIdentity, sessionDir: string): boolean {
  const found = readLease(`${sessionDir}/lease.json`);
  if (found.state === "held") return isSame(found.lease, process);
  if (found.state === "stale" && isSame(found.lease, process)) return false;
  return isGone(process) === false;
}

/** Whether a process holds the session, or is about to. */
export function isHeld(sessionDir: string): boolean {
  const found = readLease(`${sessionDir}/lease.json`);
  return found.state === "held" || (found.state === "blank" && !found.stale);
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.pidStart === other.pidStart;
}
