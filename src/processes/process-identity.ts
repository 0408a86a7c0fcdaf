import { readFileSync, readlinkSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { fileAge } from "../platform/files/file-age.ts";
import { once } from "../platform/once.ts";
import { processStart } from "./process-start.ts";

/** The scope of process ids: one boot of one machine, and on Linux one pid namespace of it. */
interface PidScope {
  host: string;
  /** Linux only. */
  bootId: string | null;
  pidNamespace: string | null;
}

/** A process as files and marks name it. A place that it does not name is here. */
export interface ProcessIdentity extends Partial<PidScope> {
  pid: number;
  /** From `processStart`: a later process with the same pid started at another time. */
  pidStart: string;
}

export const ownProcess: () => PidScope & ProcessIdentity = once(() => ({
  pid: process.pid,
  pidStart: processStart(process.pid),
  host: hostname(),
  bootId: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()),
  pidNamespace: attempt(() => readlinkSync("/proc/self/ns/pid")),
}));

/** Whether a process is gone that was alive at some time; `unknown` where its id says nothing here. */
export function isGone(named: ProcessIdentity, seenAliveAt?: number): boolean | "unknown" {
  const here = ownProcess();
  const { host, bootId, pidNamespace } = { ...here, ...named };
  const isHere =
    bootId === here.bootId &&
    pidNamespace === here.pidNamespace &&
    (bootId !== null || host === here.host);
  if (!isHere) return "unknown";
  const start = processStart(named.pid);
  if (start === "" || start !== named.pidStart) return true;
  // Where a start time cannot be had, another process may have the same id since the machine was started again.
  return bootId === null && seenAliveAt !== undefined && seenAliveAt < bootTime();
}

/** A file is written as soon as it is made. One that names no process after this time was left by a crash. */
const longestBlankMs = 5000;
/** A process whose id says nothing here counts as gone when its file has not changed for so long. */
const longestSilenceMs = 30_000;

/**
 * Whether the process that wrote a lock or a lease is gone. Only one whose id says nothing here is judged by its silence:
 * one that sleeps or is busy is not gone. The file tells how long the silence is, by the clock of its file system, which is
 * asked with a file in `clockDir`; where that cannot be told nobody is gone.
 */
export function isLeft(
  file: string,
  from: { by: ProcessIdentity | undefined; seenAliveAt: number; clockDir: string },
): boolean {
  const gone = from.by === undefined ? "unknown" : isGone(from.by, from.seenAliveAt);
  if (gone !== "unknown") return gone;
  const longest = from.by === undefined ? longestBlankMs : longestSilenceMs;
  return (fileAge(file, from.clockDir) ?? 0) > longest;
}

function bootTime(): number {
  return Date.now() - uptime() * 1000;
}

function attempt(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
