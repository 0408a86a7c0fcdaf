import type { AgentId } from "../ids.ts";
import type { Usage } from "../message.ts";
import type { EndedAgents } from "./ended-agents.ts";
import type { RunningAgent } from "./running-agent.ts";
import { Tally } from "./tally.ts";

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

/** The same for an agent of which memory does not know everything below it, from the rows of all agents. */
export function totalsBelow(
  rows: readonly {
    id: AgentId;
    parentId: AgentId | null;
    type: string;
    usage: Usage;
    cost: number | null;
  }[],
  root: string,
): Totals {
  const children = Map.groupBy(rows, ({ parentId }) => parentId);
  const tally = new Tally();
  const tree = rows.filter(({ id }) => id === root);
  for (const { id, type, usage, cost } of tree) {
    tally.add(type, { usage, costUsd: cost });
    tree.push(...(children.get(id) ?? []));
  }
  return tally.totals();
}

/**
 * Sums over one agent and everything spawned below it, or over all, those that are no longer in memory included. Parents
 * stand before their children.
 */
export function totalsOf(
  agents: readonly RunningAgent[],
  root: AgentId | null,
  { now, ended }: { now: number; ended: Pick<EndedAgents, "left" | "leftBelow"> },
): Totals {
  const tree = new Set<AgentId>();
  const tally = new Tally();
  if (root === null) tally.merge(ended.left);
  for (const running of agents) {
    const { id, type, relates } = running.agent;
    const below = relates.parentId !== null && tree.has(relates.parentId);
    if (root !== null && id !== root && !below) continue;
    tree.add(id);
    tally.add(type, { usage: running.usage(now), costUsd: running.costUsd(now) });
    if (root !== null) tally.merge(ended.leftBelow(id));
  }
  return tally.totals();
}
