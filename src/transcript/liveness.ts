import { processStart } from "../platform/process-start.ts";
import { readLease } from "./lease.ts";

/** A process, as the files of an agent or a session name it. */
interface NamedProcess {
  pid: number;
  pidStart: string;
}

/**
 * Whether the process that runs an agent is there. The session's lease says more than a process id, which means nothing in
 * another pid namespace or on another machine: while its owner lives, the agents that name it run, and all others do not.
 */
export function isRunBy(process: NamedProcess, sessionDir: string): boolean {
  const found = readLease(`${sessionDir}/lease.json`);
  if (found.state === "held") return isSame(found.lease, process);
  if (found.state === "stale" && isSame(found.lease, process)) return false;
  return process.pidStart !== "" && processStart(process.pid) === process.pidStart;
}

/** Whether a process has the session, or is about to. */
export function isHeld(sessionDir: string): boolean {
  const found = readLease(`${sessionDir}/lease.json`);
  return found.state === "held" || (found.state === "blank" && !found.stale);
}

function isSame(one: NamedProcess, other: NamedProcess): boolean {
  return one.pid === other.pid && one.pidStart === other.pidStart;
}
