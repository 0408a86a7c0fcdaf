import { endProcesses, familyOf } from "./end-processes.ts";
import { once } from "../platform/once.ts";
import { isOwnerGone } from "./owner.ts";
import { readProcFile } from "./process-start.ts";
import { readProcesses, startNow, startOf, type Process } from "./process-table.ts";
import { defaultGraceMs } from "./process-tree.ts";

/** A process of an agent whose Retinue has ended without it. */
export interface Orphan {
  pid: number;
  /** Command line, words joined by blanks. It is untrusted text: sanitize it before it is shown. */
  command: string;
  /** The agents whose marks the process carries, the nearest last; none if only an ancestor carries one. */
  agentIds: readonly string[];
  ageMs: number;
}

/** Finds the processes of agents whose Retinue is gone, in one snapshot of all processes. */
export async function findOrphans(): Promise<Orphan[]> {
  const table = await readProcesses();
  return familyOf(table, orphanhood(table)).map((found) => ({
    pid: found.pid,
    command: commandOf(found.pid),
    agentIds: found.agents,
    ageMs: Math.max(0, startNow() - startOf(found)),
  }));
}

/**
 * Ends the processes of agents whose Retinue is gone, and resolves when they are gone. The guard of a killed Retinue
 * does the same: this is for processes that it missed, and for callers that cannot wait for it.
 */
export async function reapOrphans(
  options: { graceMs?: number } = {},
): Promise<{ processes: number; agentIds: string[] }> {
  const table = await readProcesses();
  const found = familyOf(table, orphanhood(table));
  if (found.length === 0) return { processes: 0, agentIds: [] };
  const died = await endProcesses(orphanhood, { graceMs: options.graceMs ?? defaultGraceMs });
  return { processes: died.length, agentIds: [...new Set(found.flatMap(({ agents }) => agents))] };
}

/**
 * Reaps orphans at most once in this process, beside a run that does not wait for it. A failure is silent: the next run
 * tries again, and `retinue doctor` reports the reason.
 */
export const reapOnce: () => Promise<void> = once(async () => {
  await reapOrphans().catch(() => undefined);
});

/**
 * Returns a test for orphans. The process that started us counts as alive: if it is gone, we are its orphan, and must not end
 * ourselves.
 */
function orphanhood(table: readonly Process[]): (process: Process) => boolean {
  const above = table.find(({ pid }) => pid === process.pid)?.owners ?? [];
  const known = new Map(above.map((owner) => [owner, false]));
  return ({ owners }) =>
    owners.some((owner) => {
      const isGone = known.get(owner) ?? isOwnerGone(owner);
      known.set(owner, isGone);
      return isGone;
    });
}

function commandOf(pid: number): string {
  return Buffer.from(readProcFile(`/proc/${pid}/cmdline`), "latin1")
    .toString("utf8")
    .replaceAll("\0", " ")
    .trim();
}
