import type { AgentId } from "../../contract/ids.ts";
import type { RunningAgent } from "../running-agent.ts";

/** Agents and processes that ended with an agent. */
export interface Died {
  /** The agent and its foreground children; empty if it had ended before. */
  agents: AgentId[];
  /** The number of processes that they had started. */
  processes: number;
}

export interface StopOptions {
  /** Milliseconds between SIGTERM and SIGKILL. */
  graceMs?: number;
  /** Whether to send SIGKILL at once, and not to wait for a tool that ignores its signal. */
  kill?: boolean;
}

/** Waits for the end of an agent, and of all agents with the same cause: an abort passes its reason on unchanged. */
export async function endedWith(
  first: RunningAgent,
  agents: readonly RunningAgent[],
  how: StopOptions,
): Promise<Died> {
  const below = descendantsOf(first, agents);
  const ending = [first, ...below.filter((one) => one.isBusy && one.cause === first.cause)];
  const diedBefore = processesOf(ending);
  const graceMs = how.kill === true ? 0 : how.graceMs;
  for (const { ending: run } of ending) {
    if (graceMs !== undefined && run !== undefined) run.graceMs = graceMs;
  }
  // Children first: an abandoned parent would otherwise be gone before them.
  for (const one of ending.toSorted((a, b) => b.agent.relates.depth - a.agent.relates.depth)) {
    if (how.kill === true) one.ending?.abandon();
    await one.ended;
  }
  return {
    agents: ending.map(({ agent }) => agent.id),
    processes: processesOf(ending) - diedBefore,
  };
}

function descendantsOf(first: RunningAgent, agents: readonly RunningAgent[]): RunningAgent[] {
  const children = Map.groupBy(agents, ({ agent }) => agent.relates.parentId);
  const below = new Set(children.get(first.agent.id));
  for (const one of below) for (const child of children.get(one.agent.id) ?? []) below.add(child);
  return [...below];
}

function processesOf(agents: readonly RunningAgent[]): number {
  return agents.reduce((sum, { ending }) => sum + (ending?.died ?? 0), 0);
}
