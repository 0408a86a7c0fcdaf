import { namesIn } from "./names-in.ts";
import { createHash, randomUUID } from "node:crypto";
import { closeSync, fstatSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { RetinueError, systemCode } from "../../contract/errors.ts";
import { openInPrivateDirectory } from "./make-directory.ts";
import { isLeft, ownProcess, type ProcessIdentity } from "../../processes/process-identity.ts";
import { readSmallFile } from "./read-small-file.ts";

const patience = 10_000;
const shortPatience = 2000;
const pause = 10;

/**
 * Works on a file that other processes of ours change too, one after the other. The lock is stored in a directory of
 * our own, so that nothing is left in a project; a lock whose process is gone is taken over. Throws `storage` when
 * another process keeps it for long, and any error of `work`.
 */
export async function withFileLock<Result>(
  target: { file: string; lockDir: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const name = createHash("sha256").update(target.file).digest("hex").slice(0, 32);
  const lock = join(target.lockDir, `${name}.lock`);
  const mine = ownMark();
  const until = performance.now() + patience;
  while (!take(lock, mine)) {
    if (removeIfLeft(lock)) continue;
    if (performance.now() < until) await setTimeout(pause * (1 + Math.random()));
    else
      throw new RetinueError(
        "storage",
        `${target.file} is being changed by another process (${look(lock)?.owner ?? "unknown"}). Try again when it has ended, or remove ${lock}.`,
      );
  }
  try {
    return await work();
  } finally {
    if (look(lock)?.identity === mine) rmSync(lock, { force: true });
  }
}

/**
 * Does short work under a lock file synchronously; the process blocks while another one has it. Returns nothing when
 * that takes too long.
 */
export function withFileLockNow<Result>(lock: string, work: () => Result): Result | undefined {
  const mine = ownMark();
  const until = performance.now() + shortPatience;
  while (!take(lock, mine)) {
    if (removeIfLeft(lock)) continue;
    if (performance.now() > until) return undefined;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1 + Math.random());
  }
  try {
    return work();
  } finally {
    if (look(lock)?.identity === mine) rmSync(lock, { force: true });
  }
}

function ownMark(): string {
  const { pid, pidStart, ...place } = ownProcess();
  return `${pid} ${pidStart} ${randomUUID()} ${JSON.stringify(place)}`;
}

function take(lock: string, mine: string): boolean {
  try {
    const file = openInPrivateDirectory(lock, "wx");
    try {
      writeSync(file, mine);
      // Others may have taken this process for dead if it slept long before the line above.
      return statSync(lock, { throwIfNoEntry: false })?.ino === fstatSync(file).ino;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Removes a lock whose owner is gone; false if the owner lives, or another process is removing the lock. If many
 * processes see the same dead lock, only the holder of a second lock on exactly this one may remove it: the others
 * would remove the lock of the next owner. The second lock works like the first, also when its owner dies.
 */
export function removeIfLeft(lock: string): boolean {
  const left = look(lock);
  if (left === undefined) return true;
  if (left.owner !== "gone") return false;
  const which = createHash("sha256").update(left.identity).digest("hex").slice(0, 16);
  const removal = `${lock}.${which}`;
  const mine = ownMark();
  if (!take(removal, mine)) {
    removeIfLeft(removal);
    return false;
  }
  try {
    if (look(lock)?.identity === left.identity) rmSync(lock, { force: true });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(removal, { force: true });
  }
}

/** Locks whose owners are gone. */
export function leftLocks(lockDir: string): string[] {
  return namesIn(lockDir)
    .map((name) => join(lockDir, name))
    .filter((lock) => look(lock)?.owner === "gone");
}

interface FoundLock {
  /** The owner; `gone`: the process that took it is not there any more. */
  owner: string;
  /** The identity, unique among locks. */
  identity: string;
}

/** Reads a lock; nothing where there is none. */
function look(lock: string): FoundLock | undefined {
  const read = readSmallFile(lock, 4096);
  if (read.kind === "missing") return undefined;
  const text = read.kind === "text" ? read.text : "";
  const info = statSync(lock, { throwIfNoEntry: false });
  if (info === undefined) return undefined;
  const by = markIn(text);
  const identity = by === undefined ? `${info.ino} ${info.mtimeMs}` : text;
  if (isLeft(lock, { by, seenAliveAt: info.mtimeMs, clockDir: dirname(lock) }))
    return { owner: "gone", identity };
  if (by === undefined) return { owner: "unknown", identity };
  const { host } = { ...ownProcess(), ...by };
  const where = host === ownProcess().host ? "" : ` on ${host}`;
  return { owner: `process ${by.pid}${where}`, identity };
}

/** Parses the mark of a lock. Marks of earlier versions name no place. */
function markIn(text: string): ProcessIdentity | undefined {
  const [, pid, pidStart = "", place = "{}"] = /^(\d+) (\S*) \S+(?: (\{.*))?$/.exec(text) ?? [];
  if (pid === undefined) return undefined;
  try {
    return { ...(JSON.parse(place) as object), pid: Number(pid), pidStart };
  } catch {
    return undefined;
  }
}
