import { statSync } from "node:fs";
import { guardName } from "./guard.ts";
import { isDead, readProcFile, statFields } from "./process-start.ts";
import type { Process } from "./process-table.ts";
import { isRetinue } from "./shown-owner.ts";

/**
 * Whether an agent's command may have opened the session of a process although no mark shows it: the leader is gone,
 * and its mark with it, and some Retinue is older than all members. A terminal, a service, `ssh` and `cron` have a
 * leader. A daemon or a program behind `nohup` may have outlived its leader; its age tells it apart, because a process
 * older than every Retinue belongs to no agent.
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

/**
 * The start times of this user's living Retinues that have started a process. They show it themselves, and so does the
 * guard of each, which waits for its Retinue.
 */
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
