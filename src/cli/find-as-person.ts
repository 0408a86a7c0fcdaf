import { RetinueError } from "../errors.ts";
import type { FoundRequest } from "../inbox/find-requests.ts";
import { agentVariable } from "../platform/marks.ts";
import { readProcesses, type Process } from "../platform/process-table.ts";
import { findRequest } from "./find-request.ts";

/**
 * The open request that somebody wants to answer, who must not be an agent. A command of one may have dropped the mark of
 * agents from its own environment, but not from that of the processes above it; and what the asking process started is never a
 * person. A command that has left the processes above it is not recognised.
 */
export async function findAsPerson(id: string): Promise<FoundRequest> {
  const above = ancestors(await readProcesses());
  if (process.env[agentVariable] !== undefined || above.some(({ agents }) => agents.length > 0))
    throw onlyPersons();
  const found = findRequest(id);
  if (!found.processEnded && above.some(({ pid }) => pid === found.pid)) throw onlyPersons();
  return found;
}

/** Parent first. */
function ancestors(processes: readonly Process[]): Process[] {
  const byPid = new Map(processes.map((one) => [one.pid, one]));
  const line = new Set<Process>();
  let next = byPid.get(process.ppid);
  while (next !== undefined && !line.has(next)) {
    line.add(next);
    next = byPid.get(next.parent);
  }
  return [...line];
}

function onlyPersons(): RetinueError {
  return new RetinueError(
    "invalid_request",
    "This runs inside an agent, and only a person can answer. Use a terminal of your own.",
  );
}
