import { statSync } from "node:fs";
import { guardName } from "./guard.ts";
import { isDead, readProcFile, statFields } from "./process-start.ts";
import type { Process } from "./process-table.ts";
import { isRetinue } from "./shown-owner.ts";

/**
 * Whether an agent's command may have opened the session that a process is in, though nothing says so any more: its leader, and
 * with it the mark, is gone, and some Retinue was there first. A terminal, a service, `ssh` and `cron` have a leader.
 * One that has outlived it, a daemon or a program behind `nohup`, is told apart by its age: what is older than every
 * Retinue is of no agent.
 */
export function isInLostSession(
  { session }: Process,
  table: readonly Process[],
  retinues: () => readonly number[] = () => retinueStarts(table),
): boolean {
  // Zero: a leader outside of this pid namespace, where agents of ours have none.
  if (session === undefined || session === 0 || isThere(session)) return false;
  const members = table.filter((one) => one.session === session);
  const oldest = Math.min(...members.map(({ started }) => Number(started)));
  return retinues().some((start) => start < oldest);
}

/** When each living Retinue of this user started that has started something itself: it shows that, and so does its guard. */
function retinueStarts(table: readonly Process[]): number[] {
  return table.flatMap(({ pid, session, started }) => {
    if (isOurs(pid) && isRetinue(pid)) return [Number(started)];
    if (pid !== session) return [];
    const words = readProcFile(`/proc/${pid}/cmdline`).split("\0");
    if (!words.includes(guardName) || !isOurs(pid)) return [];
    const [, start] =
      words.map((word) => ownerMark.exec(word)).find((found) => found !== null) ?? [];
    return start === undefined ? [] : [Number(start)];
  });
}

/** Thread, pid, start time and pid namespace (`owner.ts`). */
const ownerMark = /^\d+@\d+:(\d+)(?::\d+)?$/;

/** Whether a process lives, also one that `/proc` hides. */
function isThere(pid: number): boolean {
  const fields = statFields(String(pid));
  if (fields.length >= 20) return !isDead(fields[0]);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function isOurs(pid: number): boolean {
  try {
    return statSync(`/proc/${pid}`).uid === process.getuid?.();
  } catch {
    return false;
  }
}
