import { totalOf } from "../../events/agent-record.ts";
import { totalTokens } from "../../contract/message.ts";
import { formatCost, formatModel, formatSpan, formatTokens } from "../terminal/format.ts";
import { elapsed, type AgentView, type RunState } from "./run-state.ts";
import { createStyle, statusGlyphs, type Paint, type Style } from "../terminal/style.ts";
import { displayWidth, fill, fit } from "../terminal/width.ts";

/** The usage of a run, one line per agent as a tree, with a heading and a total; no line is wider than `width`. */
export function summaryTable(run: RunState, options: SummaryOptions): string[] {
  const style = options.style ?? createStyle(false);
  const rows = run.tree().map(({ agent, prefix }) => cells(agent, prefix, options));
  const table = [headings, ...rows, total(run, options)];
  const priced = run.agents.values().some(({ record }) => (totalOf(record).costUsd ?? 0) > 0);
  const widths = columnWidths(table, { width: options.width, priced });
  const paints = [style.bold, ...run.tree().map(({ agent }) => rowPaint(agent, style)), style.bold];
  return table.map((row, index) => {
    const line = row.flatMap((text, column) => {
      const width = widths[column] ?? 0;
      return width === 0 ? [] : [fill(text, width, alignment(column))];
    });
    return (paints[index] ?? style.bold)(fit(line.join(gap).trimEnd(), options.width));
  });
}

export interface SummaryOptions {
  width: number;
  /** The current time, for agents that have not ended. */
  now: number;
  scripted?: boolean;
  style?: Style;
}

const headings: readonly string[] = [
  "Agent",
  "Model",
  "Turns",
  "Tools",
  "Tokens",
  "Time",
  "Cost",
  "Result",
];
const gap = "  ";
const costColumn = 6;
const resultColumn = 7;

function cells(agent: AgentView, prefix: string, options: SummaryOptions): string[] {
  return [
    prefix + agent.label,
    formatModel(agent.record.model, options.scripted ?? false),
    String(agent.record.run.turns),
    String(totalOf(agent.record).toolUses),
    formatTokens(totalTokens(totalOf(agent.record).usage)),
    formatSpan(elapsed(agent, options.now)),
    formatCost(totalOf(agent.record).costUsd),
    `${statusGlyphs[agent.record.state]} ${agent.outcome ?? agent.record.state}`,
  ];
}

function total(run: RunState, options: SummaryOptions): string[] {
  const started = run.totals.startedAt ?? options.now;
  const tools = run.agents.values().reduce((sum, agent) => sum + totalOf(agent.record).toolUses, 0);
  const count = run.agents.size + run.forgotten;
  const note = run.forgotten === 0 ? "" : `${run.forgotten} earlier not listed`;
  return [
    `total (${count})`,
    "",
    "",
    run.forgotten === 0 ? String(tools) : "",
    formatTokens(totalTokens(run.totals.used.usage)),
    formatSpan(lastMoment(run, options.now) - started),
    formatCost(run.totals.used.costUsd),
    note,
  ];
}

function lastMoment(run: RunState, now: number): number {
  const agents = [...run.agents.values()];
  return agents.length === 0
    ? now
    : Math.max(...agents.map((agent) => agent.record.endedAt ?? now));
}

/**
 * Columns as wide as their content, except that two of free text are limited and the result takes the rest. Turns and
 * tools go when that is too little; the model stays, because it says when it is scripted. Without any known cost there
 * is no column for it.
 */
function columnWidths(
  table: readonly (readonly string[])[],
  { width, priced }: { width: number; priced: boolean },
): number[] {
  const widths = headings.map((_, column) =>
    Math.max(...table.map((row) => displayWidth(row[column] ?? ""))),
  );
  widths[0] = Math.min(widths[0] ?? 0, Math.max(8, Math.floor(width * 0.3)));
  widths[1] = Math.min(widths[1] ?? 0, Math.max(8, Math.floor(width * 0.25)));
  if (!priced) widths[costColumn] = 0;
  const rest = (): number =>
    widths
      .slice(0, resultColumn)
      .filter((column) => column > 0)
      .reduce((left, column) => left - column - gap.length, width);
  for (const column of [2, 3]) {
    if (rest() < 16) widths[column] = 0;
  }
  widths[resultColumn] = Math.min(widths[resultColumn] ?? 0, Math.max(0, rest()));
  return widths;
}

function alignment(column: number): "left" | "right" {
  return column >= 2 && column < resultColumn ? "right" : "left";
}

function rowPaint(agent: AgentView, style: Style): Paint {
  if (agent.record.state === "failed" || agent.record.state === "stopped") return style.red;
  return style.agent(agent.record.color);
}
