import { statSync } from "node:fs";
import { z } from "zod";
import { once } from "../platform/once.ts";
import { isGone } from "../platform/own-place.ts";
import { readSmallFile } from "../platform/read-small-file.ts";

/**
 * The file that says which process a session belongs to, and where it can be reached. Readable by its user alone. The schema is
 * made when a lease is read: whoever only takes one never needs it.
 */
const leaseSchema = once(() =>
  z.object({
    pid: z.int().positive(),
    pidStart: z.string(),
    host: z.string(),
    bootId: z.string().nullable(),
    pidNamespace: z.string().nullable(),
    /** Proves to the owner that whoever has it may read this file. No two leases have the same. */
    token: z.string().min(1),
    /** Where the owner listens, if it does. */
    socket: z.string().nullable(),
    /** When the owner last said that it is there, in milliseconds since the epoch. */
    beatAt: z.number(),
  }),
);

export type Lease = z.infer<ReturnType<typeof leaseSchema>>;

/** How often an owner says that it is there. */
export const beatMs = 5000;
/** After so long without a word an owner that cannot be looked at counts as gone. */
const longestSilenceMs = 30_000;
/** A lease is written as soon as it is made. One that says nothing after this time was left by a crash. */
const longestBlankMs = 5000;

export type LeaseOnDisk =
  | { state: "none" }
  /** Its owner lives, or may live. */
  | { state: "held"; lease: Lease }
  | { state: "stale"; lease: Lease }
  /** It cannot be read: it is being written, or (`stale`) was left half written. */
  | { state: "blank"; stale: boolean };

export function readLease(path: string): LeaseOnDisk {
  const lease = parse(path) ?? parse(path);
  if (lease !== undefined) return { state: isStale(lease) ? "stale" : "held", lease };
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return { state: "none" };
  return { state: "blank", stale: Date.now() - info.mtimeMs > longestBlankMs };
}

/** Only a process whose id says nothing here is judged by its beat: one that sleeps or is busy is not gone. */
function isStale(lease: Lease): boolean {
  const gone = isGone(lease, lease.beatAt);
  return gone === "unknown" ? Date.now() - lease.beatAt > longestSilenceMs : gone;
}

/** Twice, because it is overwritten in place, and somebody may look in that instant. */
function parse(path: string): Lease | undefined {
  const read = readSmallFile(path, 64 * 1024);
  if (read.kind !== "text") return undefined;
  try {
    return leaseSchema().safeParse(JSON.parse(read.text)).data;
  } catch {
    return undefined;
  }
}
