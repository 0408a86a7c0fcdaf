import { readlinkSync } from "node:fs";
import { threadId } from "node:worker_threads";
import { processStart } from "./process-start.ts";

/**
 * Which Retinue started a process: thread, pid, start time and, on Linux, the pid namespace in which the pid means
 * something. No owner is the beginning of another, so that it can be found by its text.
 */
export const owner: string = [
  `${threadId}@${process.pid}`,
  processStart(process.pid),
  ...pidNamespace(),
].join(":");

/** Whether that Retinue has ended. One of another pid namespace cannot be seen from here, and counts as alive. */
export function isOwnerGone(mark: string): boolean {
  const [, pid, start, namespace] = /^\d+@(\d+):([^:]+)(?::(\d+))?$/.exec(mark) ?? [];
  if (pid === undefined || namespace !== pidNamespace()[0]) return false;
  return processStart(Number(pid)) !== start;
}

function pidNamespace(): string[] {
  if (process.platform !== "linux") return [];
  try {
    return [readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "")];
  } catch {
    return [];
  }
}
