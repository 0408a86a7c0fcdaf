import type { AgentId } from "../../contract/ids.ts";
import type { RunningAgent } from "../running-agent.ts";

/** What ended because an agent was told to. */
export interface Died {
  /** Itself and its foreground children; none when it had ended before. */
  agents: AgentId[];
  /** Those that they had started. */
  processes: number;
}

export interface StopOptions {
  /** Milliseconds that processes have between SIGTERM and SIGKILL. */
  graceMs?: number;
  /** SIGKILL at once, and no waiting for a tool that does not heed its signal. */
  kill?: boolean;
}

/** Waits for an agent that is being ended, and for all that have the same cause: an abort is passed on as it is. */
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
  // Children first: a parent that was left behind would otherwise be gone before them.
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
