import type { AgentId } from "../ids.ts";
import { addUsage, noUsage, type Usage } from "../message.ts";
import { addCost } from "../model/prices.ts";
import type { RunningAgent } from "./running-agent.ts";

/** What several agents took together. */
export interface Spending {
  agents: number;
  usage: Usage;
  /** In US dollars; `null` = some part of it is unknown. */
  costUsd: number | null;
}

export interface Totals extends Spending {
  byType: Record<string, Spending>;
}

/** Sums over one agent and everything spawned below it, or over all. Parents stand before their children. */
export function totalsOf(
  agents: readonly RunningAgent[],
  root: AgentId | null,
  now: number,
): Totals {
  const tree = new Set<AgentId>();
  const byType = new Map<string, Spending>();
  let total = nothing;
  for (const running of agents) {
    const { id, type, relates } = running.agent;
    const below = relates.parentId !== null && tree.has(relates.parentId);
    if (root !== null && id !== root && !below) continue;
    tree.add(id);
    total = plus(total, running, now);
    byType.set(type, plus(byType.get(type) ?? nothing, running, now));
  }
  return { ...total, byType: Object.fromEntries(byType) };
}

const nothing: Spending = { agents: 0, usage: noUsage, costUsd: 0 };

function plus(sum: Spending, running: RunningAgent, now: number): Spending {
  return {
    agents: sum.agents + 1,
    usage: addUsage(sum.usage, running.usage(now)),
    costUsd: addCost(sum.costUsd, running.costUsd(now)),
  };
}
