import { setTimeout } from "node:timers/promises";
import { readProcesses, type Process } from "./process-table.ts";

const limitMs = 5000;

/** Selects the processes that belong, from one snapshot of all processes. */
export type ProcessSelector = (table: readonly Process[]) => (process: Process) => boolean;

/**
 * Ends every process that belongs, and its descendants: SIGTERM first, SIGKILL after `graceMs`. Resolves with the
 * processes that died. The caller may lower `graceMs` meanwhile.
 */
export async function endProcesses(
  belonging: ProcessSelector,
  pace: { readonly graceMs: number },
): Promise<string[]> {
  const known = new Set<string>();
  const victims = new Set<string>();
  const asked = new Set<number>();
  const began = performance.now();
  let alive: Process[] = [];
  /** Empty snapshots in a row. Only the second one counts: a process in the middle of `exec` shows no environment. */
  let emptyLooks = 0;
  for (
    let pauseMs = 2;
    performance.now() - began < pace.graceMs + limitMs;
    pauseMs = Math.min(pauseMs * 2, 50)
  ) {
    const table = await readProcesses();
    const belongs = belonging(table);
    const family = familyOf(table, (process) => belongs(process) || known.has(identity(process)));
    for (const process of family) known.add(identity(process));
    alive = family;
    emptyLooks = alive.length === 0 ? emptyLooks + 1 : 0;
    if (emptyLooks === (known.size === 0 ? 1 : 2)) break;
    const gentle = performance.now() - began < pace.graceMs;
    // A process that got SIGTERM may need others for its cleanup. A second SIGTERM to its group would end those, and
    // mean "at once".
    const next = gentle ? alive.filter(({ group }) => !asked.has(group)) : alive;
    for (const process of next) {
      asked.add(process.group);
      victims.add(identity(process));
    }
    signalGroups(next, gentle ? "SIGTERM" : "SIGKILL");
    await setTimeout(pauseMs);
  }
  const stayed = new Set(alive.map(identity));
  return [...victims].filter((victim) => !stayed.has(victim));
}

/** The processes that belong, and their descendants. Never this process or its own group. */
export function familyOf(
  table: readonly Process[],
  belongs: (process: Process) => boolean,
): Process[] {
  const own = table.find((candidate) => candidate.pid === process.pid);
  const eligible = table.filter(
    ({ pid, group }) => pid > 1 && group > 1 && pid !== process.pid && group !== own?.group,
  );
  const children = Map.groupBy(eligible, (candidate) => candidate.parent);
  const family = new Set(eligible.filter(belongs));
  for (const member of family)
    for (const child of children.get(member.pid) ?? []) family.add(child);
  return [...family];
}

/** Signals the groups of processes. Each group is their own: it is in a session that `start` or one of them opened. */
export function signalGroups(victims: readonly Process[], name: NodeJS.Signals): void {
  for (const group of new Set(victims.map((victim) => victim.group))) signal(-group, name);
}

/** Whether there was anything to signal. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

function identity(process: Process): string {
  return `${process.pid} ${process.started}`;
}
