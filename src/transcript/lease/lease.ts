import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { once } from "../../platform/once.ts";
import { isLeft } from "../../processes/process-identity.ts";
import { readSmallFile } from "../../platform/files/read-small-file.ts";

/**
 * The file that names the owner of a session, and where it can be reached. Readable by its user alone. The schema is
 * made when a lease is read: a process that only takes one never needs it.
 */
const leaseSchema = once(() =>
  z.object({
    pid: z.int().positive(),
    pidStart: z.string(),
    host: z.string(),
    bootId: z.string().nullable(),
    pidNamespace: z.string().nullable(),
    /** Proves to the owner that its bearer may read this file. No two leases have the same. */
    token: z.string().min(1),
    /** The socket on which the owner listens; `null` if there is none. */
    socket: z.string().nullable(),
    /** The time of the owner's last beat, in milliseconds since the epoch. */
    beatAt: z.number(),
  }),
);

export type Lease = z.infer<ReturnType<typeof leaseSchema>>;

/** The interval of an owner's beats, in milliseconds. */
export const beatMs = 5000;

export type LeaseOnDisk =
  | { state: "none" }
  /** The owner lives, or may live. */
  | { state: "held"; lease: Lease }
  | { state: "stale"; lease: Lease }
  /** The lease cannot be read: it is being written, or (`stale`) was left half written. */
  | { state: "blank"; stale: boolean };

export function readLease(path: string): LeaseOnDisk {
  const lease = parse(path) ?? parse(path);
  if (lease === undefined && !existsSync(path)) return { state: "none" };
  // The clock file is made beside the session, so that looking does not change the session.
  const clockDir = dirname(dirname(path));
  const stale = isLeft(path, { by: lease, seenAliveAt: lease?.beatAt ?? 0, clockDir });
  if (lease === undefined) return { state: "blank", stale };
  return { state: stale ? "stale" : "held", lease };
}

/** Parses a lease. Callers try twice: it is overwritten in place, and a read may fall into that instant. */
function parse(path: string): Lease | undefined {
  const read = readSmallFile(path, 64 * 1024);
  if (read.kind !== "text") return undefined;
  try {
    return leaseSchema().safeParse(JSON.parse(read.text)).data;
  } catch {
    return undefined;
  }
}
