import type { Process } from "./process-table.ts";

/** The processes above one, parent first. */
export function ancestorsOf(table: readonly Process[], pid: number): Process[] {
  const byPid = new Map(table.map((one) => [one.pid, one]));
  const line = new Set<Process>();
  let next = byPid.get(byPid.get(pid)?.parent ?? 0);
  while (next !== undefined && !line.has(next)) {
    line.add(next);
    next = byPid.get(next.parent);
  }
  return [...line];
}

/**
 * The agents that a process works for: by its own marks, by those of the processes above it, and by those of the
 * leaders of its session and group. A process that has dropped its own marks is found by the others.
 */
export function agentsOf(table: readonly Process[], pid: number): Set<string> {
  const self = table.find((one) => one.pid === pid);
  const near = table.filter(
    (one) => one === self || one.pid === self?.session || one.pid === self?.group,
  );
  return new Set([...near, ...ancestorsOf(table, pid)].flatMap(({ agents }) => agents));
}
