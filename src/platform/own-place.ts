import { readFileSync, readlinkSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { once } from "./once.ts";
import { processStart } from "./process-start.ts";

/** Where process ids mean something: one boot of one machine, and on Linux one pid namespace of it. */
export interface Place {
  host: string;
  /** Linux only. */
  bootId: string | null;
  pidNamespace: string | null;
}

export const ownPlace: () => Place = once(() => ({
  host: hostname(),
  bootId: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()),
  pidNamespace: attempt(() => readlinkSync("/proc/self/ns/pid")),
}));

/** After so long without a word a process whose id says nothing here counts as gone. */
export const longestSilenceMs = 30_000;

/** Whether a process that was alive at some time is gone; `unknown` where its id says nothing here. */
export function isGone(
  process: Place & { pid: number; pidStart: string },
  seenAliveAt: number,
): boolean | "unknown" {
  const here = ownPlace();
  const isHere =
    here.bootId === null
      ? process.bootId === null && process.host === here.host
      : process.bootId === here.bootId && process.pidNamespace === here.pidNamespace;
  if (!isHere) return "unknown";
  if (processStart(process.pid) !== process.pidStart) return true;
  // Where a start time cannot be had, another process may have the same id since the machine was started again.
  return here.bootId === null && seenAliveAt < Date.now() - uptime() * 1000;
}

function attempt(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
