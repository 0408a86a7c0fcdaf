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

/** A process as files and marks name it. A missing part of its scope is that of this process. */
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

/** Whether a process that once lived is gone; `unknown` if its id means nothing in this scope. */
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
  // Without a start time, another process may have the same id since the machine was rebooted.
  return bootId === null && seenAliveAt !== undefined && seenAliveAt < bootTime();
}

/** A file is written as soon as it is made. A file that names no process after this time was left by a crash. */
const longestBlankMs = 5000;
/** Time without a change of its file after which a process of another scope counts as gone. */
const longestSilenceMs = 30_000;

/**
 * Whether the process that wrote a lock or a lease is gone. Only a process of another scope is judged by the age of its
 * file; a process of this scope that sleeps or is busy is not gone. The age is measured by the clock of the file
 * system, with a file in `clockDir`; if that fails, the process counts as alive.
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
