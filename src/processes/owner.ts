import { threadId } from "node:worker_threads";
import { isGone, ownProcess } from "./process-identity.ts";

/**
 * The Retinue that started a process: thread, pid, start time and, on Linux, the pid namespace of the pid. No owner is
 * a prefix of another, so it can be found by its text.
 */
export const owner: string = ownerMark();

function ownerMark(): string {
  const { pid, pidStart, pidNamespace } = ownProcess();
  const namespace = pidNamespace === null ? [] : [pidNamespace.replaceAll(/\D/g, "")];
  return [`${threadId}@${pid}`, pidStart, ...namespace].join(":");
}

/** Whether that Retinue has ended. One in another pid namespace is invisible here and counts as alive. */
export function isOwnerGone(mark: string): boolean {
  const [, pid, pidStart = "", namespace] = /^\d+@(\d+):([^:]+)(?::(\d+))?$/.exec(mark) ?? [];
  if (pid === undefined) return false;
  const pidNamespace = namespace === undefined ? null : `pid:[${namespace}]`;
  return isGone({ pid: Number(pid), pidStart, pidNamespace }) === true;
}
