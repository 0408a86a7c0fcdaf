import { totalOf, type AgentRecord } from "../events/agent-record.ts";
import type { AgentId } from "../contract/ids.ts";
import type { Usage } from "../contract/message.ts";
import { UsageByType } from "./usage-by-type.ts";

/** The usage of several agents together. */
export interface Spending {
  agents: number;
  usage: Usage;
  /** Cost in US dollars; `null` = some part of it is unknown. */
  costUsd: number | null;
}

export interface Totals extends Spending {
  byType: Record<string, Spending>;
}

/** Sums over one agent and its descendants. */
export function totalsBelow(records: readonly AgentRecord[], root: AgentId): Totals {
  const children = Map.groupBy(records, ({ parentId }) => parentId);
  const usage = new UsageByType();
  const tree = records.filter(({ id }) => id === root);
  for (const record of tree) {
    usage.add(record.type, totalOf(record));
    tree.push(...(children.get(record.id) ?? []));
  }
  return usage.totals();
}
