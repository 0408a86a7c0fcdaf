import { threadId } from "node:worker_threads";
import { isGone, ownProcess } from "./process-identity.ts";

/**
 * Which Retinue started a process: thread, pid, start time and, on Linux, the pid namespace in which the pid means
 * something. No owner is the beginning of another, so that it can be found by its text.
 */
export const owner: string = ownerMark();

function ownerMark(): string {
  const { pid, pidStart, pidNamespace } = ownProcess();
  const namespace = pidNamespace === null ? [] : [pidNamespace.replaceAll(/\D/g, "")];
  return [`${threadId}@${pid}`, pidStart, ...namespace].join(":");
}

/** Whether that Retinue has ended. One of another pid namespace cannot be seen from here, and counts as alive. */
export function isOwnerGone(mark: string): boolean {
  const [, pid, pidStart = "", namespace] = /^\d+@(\d+):([^:]+)(?::(\d+))?$/.exec(mark) ?? [];
  if (pid === undefined) return false;
  const pidNamespace = namespace === undefined ? null : `pid:[${namespace}]`;
  return isGone({ pid: Number(pid), pidStart, pidNamespace }) === true;
}
