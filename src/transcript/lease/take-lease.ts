import { randomBytes } from "node:crypto";
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { RetinueError, systemCode } from "../../contract/errors.ts";
import { withFileLockNow } from "../../platform/files/file-lock.ts";
import { ownProcess } from "../../processes/process-identity.ts";
import { writeNew } from "../../platform/files/replace-whole.ts";
import { writeWhole } from "../../platform/files/write-whole.ts";
import { beatMs, readLease, type Lease, type LeaseOnDisk } from "./lease.ts";
import type { SessionPaths } from "../paths.ts";
import { unwritable } from "../unwritable.ts";

/** A session that belongs to this process, until it is released or another process has taken it. */
export interface HeldLease {
  readonly token: string;
  /** Stores the socket of the owner; `null`: there is none. Never throws. */
  announce(socket: string | null): void;
  /** Calls back, once, when another process has taken the session, with the reason in a sentence. */
  onLost(listener: (reason: string) => void): void;
  /** Releases the session. A second call does no harm. */
  release(): void;
}

/**
 * Takes a session for this process, before anything is written to it. Throws `session_busy` if its owner is alive, and
 * `storage` if it cannot be written. If several processes find a lease whose owner is gone, one of them takes it.
 *
 * A successor renames a new file over the lease; only the owner rewrites the file itself. So an owner that has opened
 * the lease and found its own token cannot overwrite a successor's lease.
 */
export function takeLease(
  { lease: path }: Pick<SessionPaths, "lease">,
  options: { beatMs?: number } = {},
): HeldLease {
  const mine: Lease = {
    ...ownProcess(),
    token: randomBytes(32).toString("base64url"),
    socket: null,
    beatAt: Date.now(),
  };
  try {
    if (!create(path, mine)) takeOver(path, mine);
  } catch (error) {
    if (error instanceof RetinueError) throw error;
    removeIfEmpty(dirname(path));
    throw unwritable(`The session ${dirname(path)}`, error);
  }
  return hold(path, mine, options.beatMs ?? beatMs);
}

/** Creates the lease; false if there was one. */
function create(path: string, lease: Lease): boolean {
  const whole = writeAside(path, lease);
  try {
    linkSync(whole, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    return createInPlace(path, lease);
  } finally {
    rmSync(whole, { force: true });
  }
}

/** Creates the lease on a file system without links: a crash may leave it half written. */
function createInPlace(path: string, lease: Lease): boolean {
  try {
    writeNew(path, textOf(lease));
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

function takeOver(path: string, mine: Lease): void {
  refuseIfHeld(path, readLease(path));
  const taken = withFileLockNow(`${path}.lock`, () => {
    const found = readLease(path);
    refuseIfHeld(path, found);
    // Released meanwhile: a process that takes it now does so without a lock.
    if (found.state === "none") return create(path, mine);
    renameSync(writeAside(path, mine), path);
    return true;
  });
  if (taken !== true) throw busy(path, "another process, which has just taken it");
}

function refuseIfHeld(path: string, found: LeaseOnDisk): void {
  if (found.state === "held") {
    const { pid, host } = found.lease;
    throw busy(path, `process ${pid}${host === ownProcess().host ? "" : ` on ${host}`}`);
  }
  if (found.state === "blank" && !found.stale) throw busy(path, "another process");
}

function busy(path: string, owner: string): RetinueError {
  const session = basename(dirname(path));
  return new RetinueError(
    "session_busy",
    `Session ${session} belongs to ${owner}. Reach its agents with 'retinue send', 'retinue attach' or 'retinue stop', or wait until it has ended.`,
  );
}

function hold(path: string, mine: Lease, beatEvery: number): HeldLease {
  const listeners: ((reason: string) => void)[] = [];
  const end = (): void => clearInterval(timer);
  const beat = (): void => {
    mine.beatAt = Date.now();
    const found = rewrite(path, mine);
    if (found === "lost") {
      end();
      const reason = "another process has taken over the session";
      for (const listener of listeners.splice(0)) listener(reason);
    }
  };
  const timer = setInterval(beat, beatEvery).unref();
  return {
    token: mine.token,
    announce(socket) {
      mine.socket = socket;
      beat();
    },
    onLost: (listener) => void listeners.push(listener),
    release() {
      end();
      listeners.length = 0;
      if (isMine(path, mine)) remove(path);
    },
  };
}

/** Rewrites the lease. A disk that fails for a while is no reason to give up: the next beat tries again. */
function rewrite(path: string, mine: Lease): "kept" | "lost" | "failed" {
  let file: number | undefined;
  try {
    file = openSync(path, "r+");
    const text = readFileSync(file, "utf8");
    if (text.includes('"token"') && !text.includes(mine.token)) return "lost";
    writeWhole(file, textOf(mine), 0);
    return "kept";
  } catch {
    return "failed";
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Writes the lease where no other process looks, to be moved into place whole. */
function writeAside(path: string, lease: Lease): string {
  const aside = `${path}.${lease.token.slice(0, 8)}`;
  writeNew(aside, textOf(lease));
  return aside;
}

/** The text of a lease, always of one length, so that rewriting it leaves nothing of the old text. */
function textOf(lease: Lease): string {
  return `${JSON.stringify(lease).padEnd(1023)}\n`;
}

function isMine(path: string, { token }: Lease): boolean {
  try {
    return readFileSync(path, "utf8").includes(token);
  } catch {
    return false;
  }
}

/** Removes the lease, with the directory of a session in which nothing ever ran. */
function remove(path: string): void {
  rmSync(path, { force: true });
  removeIfEmpty(dirname(path));
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // It is not empty, or not there.
  }
}
