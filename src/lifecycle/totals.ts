import type { AgentId } from "../ids.ts";
import type { Usage } from "../message.ts";
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

/** Sums over one agent and everything spawned below it, from the rows of all agents. */
export function totalsBelow(
  rows: readonly {
    id: AgentId;
    parentId: AgentId | null;
    type: string;
    usage: Usage;
    cost: number | null;
  }[],
  root: AgentId,
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

/** Sums over all, those that are no longer in memory included. */
export function totalsOf(agents: readonly RunningAgent[], left: Tally, now: number): Totals {
  const tally = new Tally();
  tally.merge(left);
  for (const running of agents)
    tally.add(running.agent.type, { usage: running.usage(now), costUsd: running.costUsd(now) });
  return tally.totals();
}
