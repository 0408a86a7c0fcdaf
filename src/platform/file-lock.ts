import { namesIn } from "./names-in.ts";
import { createHash, randomUUID } from "node:crypto";
import { closeSync, fstatSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { RetinueError, systemCode } from "../errors.ts";
import { fileAge } from "./file-age.ts";
import { openInPrivateDirectory } from "./make-directory.ts";
import { isGone, longestSilenceMs, ownPlace, type Place } from "./own-place.ts";
import { processStart } from "./process-start.ts";
import { readSmallFile } from "./read-small-file.ts";

const patience = 10_000;
const shortPatience = 2000;
const pause = 10;
/** A lock is written as soon as it is made. One that says nothing after this time was left by a crash. */
const longestBlankMs = 5000;

/**
 * Does work on a file that other processes of ours change too, one after the other. The lock lies in a directory of our
 * own, so that nothing is left in a project; one whose process is gone is taken over. Throws `storage` when another
 * process keeps it for long, and what `work` throws.
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
 * Does short work under a lock file without yielding; the process stands still while another one has it. Nothing when that
 * takes too long.
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
  const place = JSON.stringify(ownPlace());
  return `${process.pid} ${processStart(process.pid)} ${randomUUID()} ${place}`;
}

function take(lock: string, mine: string): boolean {
  try {
    const file = openInPrivateDirectory(lock, "wx");
    try {
      writeSync(file, mine);
      // Whoever slept for long before the line above may have been taken for dead.
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
 * Removes a lock whose owner is gone; false where it has one, or somebody else is about to remove it. Of many who see the
 * same dead lock only the one may that holds a lock on removing exactly this one, for the others would remove what the
 * next owner has taken meanwhile. That second lock is one like the first, also when its owner dies.
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

interface Look {
  /** `gone`: it was taken by a process that is not there any more. */
  owner: string;
  /** No other lock has the same. */
  identity: string;
}

/** Nothing where there is no lock. */
function look(lock: string): Look | undefined {
  const read = readSmallFile(lock, 4096);
  if (read.kind === "missing") return undefined;
  const text = read.kind === "text" ? read.text : "";
  const info = statSync(lock, { throwIfNoEntry: false });
  if (info === undefined) return undefined;
  const mark = markIn(text);
  const gone = mark === undefined ? "unknown" : isGone(mark, info.mtimeMs);
  if (mark !== undefined && gone === false) return { owner: `process ${mark.pid}`, identity: text };
  const identity = mark === undefined ? `${info.ino} ${info.mtimeMs}` : text;
  if (gone === true) return { owner: "gone", identity };
  // Of a process elsewhere only its silence can be seen: the work under a lock is short.
  const silence = fileAge(lock, dirname(lock)) ?? 0;
  const isLeft = silence > (mark === undefined ? longestBlankMs : longestSilenceMs);
  const owner = mark === undefined ? "unknown" : `process ${mark.pid} on ${mark.host}`;
  return { owner: isLeft ? "gone" : owner, identity };
}

type Mark = Place & { pid: number; pidStart: string };

/** Marks of earlier versions name no place: they are taken to be of here. */
function markIn(text: string): Mark | undefined {
  const [, pid, pidStart = "", place] = /^(\d+) (\S*) \S+(?: (\{.*))?$/.exec(text) ?? [];
  if (pid === undefined) return undefined;
  try {
    const named = place === undefined ? ownPlace() : (JSON.parse(place) as Place);
    return { ...named, pid: Number(pid), pidStart };
  } catch {
    return undefined;
  }
}
