import { agentsOf } from "./agents-of.ts";
import { agentVariable, readMarks } from "./marks.ts";
import type { Process } from "./process-table.ts";

/** The agents whose command this process is part of: none when a person, or a program of theirs, started it. */
export function ownAgents(processes: readonly Process[]): ReadonlySet<string> {
  // Not every system shows the environment of a process.
  const own = readMarks([`${agentVariable}=${process.env[agentVariable] ?? ""}`]).agents;
  return new Set([...own, ...agentsOf(processes, process.pid)]);
}
