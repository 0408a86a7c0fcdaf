import type { AgentId } from "../contract/ids.ts";
import { totalOf, type AgentRecord } from "../events/agent-record.ts";
import type { Died } from "../lifecycle/history/died.ts";
import { totalTokens, type Usage } from "../contract/message.ts";

/** One agent in a list: its record, with the sums over all its runs. */
export interface AgentRow extends AgentRecord {
  /** The run under way, or the last one; `tokens` are those of all runs. */
  readonly progress: {
    readonly turns: number;
    readonly maxTurns: number;
    readonly toolUses: number;
    readonly tokens: number;
    readonly lastTool: string | null;
  };
  readonly usage: Usage;
  /** Cost in US dollars; `null` = unknown, because the price of some answer is. */
  readonly costUsd: number | null;
}

/** A stopped agent, and everything that ended with it. */
export interface StoppedRow extends AgentRow {
  died: Died;
}

/** Sorts rows by start, parents before their children, even if the clock was set back in between. */
export function inOrder(rows: readonly AgentRow[]): AgentRow[] {
  const starts = new Map<AgentId | null, number>();
  for (const { id, parentId, startedAt } of rows.toSorted((a, b) => a.depth - b.depth))
    starts.set(id, Math.max(startedAt, starts.get(parentId) ?? startedAt));
  const startOf = ({ id }: AgentRow): number => starts.get(id) ?? 0;
  return rows.toSorted((a, b) => startOf(a) - startOf(b) || a.depth - b.depth);
}

export function rowOf(record: AgentRecord): AgentRow {
  const { usage, costUsd } = totalOf(record);
  const { turns, toolUses } = record.run;
  const { maxTurns, lastTool } = record;
  const progress = { turns, maxTurns, toolUses, tokens: totalTokens(usage), lastTool };
  return { ...record, progress, usage, costUsd };
}
