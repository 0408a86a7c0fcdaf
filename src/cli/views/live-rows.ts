import { hasEnded, totalOf, type AgentState } from "../../events/agent-record.ts";
import { totalTokens } from "../../contract/message.ts";
import {
  formatCost,
  formatDuration,
  formatModel,
  formatTokens,
  plural,
} from "../terminal/format.ts";
import {
  elapsed,
  type AgentView,
  type DeadlineClock,
  type RunState,
  type TreeRow,
} from "./run-state.ts";
import { noPaint, statusGlyphs, type Style } from "../terminal/style.ts";
import { compose, displayWidth, fit, type Cell, type MeasuredLine } from "../terminal/width.ts";

const silentAfter = 10_000;

export interface Drawing {
  run: RunState;
  now: number;
  style: Style;
  scripted: boolean;
}

/** The lines of the block: a header, a row per agent as far as there is room, and how many are left out. */
export function drawBlock(
  drawing: Drawing,
  size: { width: number; height: number },
): { lines: MeasuredLine[]; folded: AgentView[] } {
  const { run, style } = drawing;
  const { shown, folded, left } = choose(run, size.height - 1);
  const layout = columnLayout(shown, drawing, size.width);
  const lines = [header(drawing, size.width)];
  for (const row of shown) lines.push(compose(rowCells(row, drawing, layout), size.width));

  const done = folded.length + run.forgotten;
  const notes = [done > 0 ? `${done} done` : "", left > 0 ? `${left} more` : ""];
  const note = notes.filter((text) => text !== "").join(", ");
  if (note !== "" && size.height > 1) {
    lines.push(compose([{ text: `… and ${note}`, paint: style.dim }], size.width));
  }
  return { lines, folded };
}

/**
 * Chooses the agents that get a row. If there are too many, ended leaves fold, oldest first; then the end is left out.
 */
function choose(
  run: RunState,
  height: number,
): { shown: TreeRow[]; folded: AgentView[]; left: number } {
  const fits = run.agents.size + (run.forgotten > 0 ? 1 : 0) <= height;
  if (fits) return { shown: run.tree(), folded: [], left: 0 };

  const room = Math.max(0, height - 1);
  const folded = new Set<AgentView>();
  const candidates = [...run.agents.values()]
    .filter(({ record }) => hasEnded(record))
    .sort((a, b) => (a.record.endedAt ?? 0) - (b.record.endedAt ?? 0));
  const children = new Map<string | null, number>();
  for (const { record } of run.agents.values()) {
    children.set(record.parentId, (children.get(record.parentId) ?? 0) + 1);
  }
  for (const agent of candidates) {
    if (run.agents.size - folded.size <= room) break;
    // Children end before their parent, except in the background; such a parent keeps its row.
    if ((children.get(agent.record.id) ?? 0) > 0) continue;
    folded.add(agent);
    children.set(agent.record.parentId, (children.get(agent.record.parentId) ?? 0) - 1);
  }
  const rows = run.tree(folded);
  return {
    shown: rows.slice(0, room),
    folded: [...folded],
    left: Math.max(0, rows.length - room),
  };
}

function header({ run, now, style, scripted }: Drawing, width: number): MeasuredLine {
  const count = (...states: AgentState[]): number =>
    run.agents
      .values()
      .reduce((sum, { record }) => sum + (states.includes(record.state) ? 1 : 0), 0);
  const counts: [number, string][] = [
    [count("running", "waiting"), "working"],
    [count("queued"), "queued"],
    [count("idle"), "idle"],
    [count("completed") + run.forgotten, "done"],
    [count("failed"), "failed"],
    [count("stopped"), "stopped"],
  ];
  const parts = counts.flatMap(([number, word]) => (number > 0 ? [`${number} ${word}`] : []));
  const left = ["retinue", ...(scripted ? ["scripted"] : []), ...parts].join(" · ");
  const living = run.agents.values().some((agent) => !hasEnded(agent.record));
  const last = Math.max(0, ...run.agents.values().map((agent) => agent.record.endedAt ?? 0));
  const time = formatDuration((living ? now : last) - (run.totals.startedAt ?? now));
  const known = run.totals.used.costUsd !== null && run.totals.used.costUsd > 0;
  const cost = known ? `  ${formatCost(run.totals.used.costUsd)}` : "";
  const right = `${formatTokens(totalTokens(run.totals.used.usage))} tok${cost}  ⏱ ${time}`;
  const leftWidth = Math.max(Math.min(width, displayWidth(left)), width - displayWidth(right) - 2);
  return compose(
    [
      { text: left, width: leftWidth, paint: style.bold },
      { text: right, paint: style.dim },
    ],
    width,
  );
}

interface Layout {
  who: number;
  type: number;
  model: number;
  tools: number;
  tokens: number;
  time: number;
  activity: number;
}

/** Columns as wide as their content; a narrow terminal loses the less telling ones before the activity. */
function columnLayout(rows: readonly TreeRow[], drawing: Drawing, width: number): Layout {
  const widest = (limit: number, text: (row: TreeRow) => string): number =>
    Math.max(0, ...rows.map((row) => displayWidth(fit(text(row), limit))));
  const layout: Layout = {
    who: widest(Math.ceil(width * 0.35), ({ agent, prefix }) => `${prefix}* ${who(agent)}`),
    type: widest(20, ({ agent }) => agent.record.type),
    model: widest(24, ({ agent }) => formatModel(agent.record.model, drawing.scripted)),
    tools: widest(12, ({ agent }) => toolCount(agent)),
    tokens: widest(8, ({ agent }) => formatTokens(totalTokens(totalOf(agent.record).usage))),
    time: widest(9, ({ agent }) => formatDuration(elapsed(agent, drawing.now))),
    activity: 0,
  };
  const rest = (): number =>
    width -
    [layout.who, layout.type, layout.model, layout.tools, layout.tokens, layout.time]
      .filter((column) => column > 0)
      .reduce((sum, column) => sum + column + 2, 0);
  for (const column of ["model", "tools", "type", "tokens"] as const) {
    if (rest() < 24) layout[column] = 0;
  }
  layout.activity = Math.max(0, rest());
  return layout;
}

function rowCells({ agent, prefix }: TreeRow, drawing: Drawing, layout: Layout): Cell[] {
  const { now, style, scripted } = drawing;
  const paint = style.status(agent.record.state);
  const nameWidth = Math.max(0, layout.who - displayWidth(prefix) - 2);
  const tokens = formatTokens(totalTokens(totalOf(agent.record).usage));
  const duration = formatDuration(elapsed(agent, now));
  return [
    { text: prefix, gap: 0, paint: style.dim },
    { text: statusGlyphs[agent.record.state], gap: 1, paint },
    { text: who(agent), width: nameWidth, paint: style.bold },
    { text: agent.record.type, width: layout.type, paint: style.agent(agent.record.color) },
    { text: formatModel(agent.record.model, scripted), width: layout.model, paint: style.dim },
    ...activityCells(agent, drawing, layout.activity),
    { text: toolCount(agent), width: layout.tools, align: "right", paint: style.dim },
    { text: tokens, width: layout.tokens, align: "right" },
    { text: duration, width: layout.time, align: "right", paint: style.dim },
  ];
}

const nearLimit: Readonly<Record<DeadlineClock, string>> = {
  wall: "time nearly up",
  progress: "no progress",
  tool: "call nearly out of time",
};

/** Cells of the activity. Silence and a limit that comes near are never cut: a person looks for them. */
function activityCells(agent: AgentView, { run, now, style }: Drawing, width: number): Cell[] {
  const silence = now - agent.lastEventAt;
  const paint = hasEnded(agent.record) ? style.status(agent.record.state) : noPaint;
  const text = activity(agent, run);
  const notes =
    agent.record.state === "running"
      ? [
          ...(agent.warning === null ? [] : [nearLimit[agent.warning]]),
          ...(silence < silentAfter ? [] : [`silent ${formatDuration(silence)}`]),
        ]
      : [];
  const mark: Cell[] =
    agent.record.background && !hasEnded(agent.record) && width > 6
      ? [{ text: "bg", gap: 1, paint: style.dim }]
      : [];
  const room = mark.length === 0 ? width : width - 3;
  if (notes.length === 0) return [...mark, { text, width: room, paint }];
  const note = fit(` ${notes.join(", ")}`, room);
  return [
    ...mark,
    { text, width: Math.max(0, room - displayWidth(note)), gap: 0, paint },
    { text: note, paint: style.yellow },
  ];
}

function activity(agent: AgentView, run: RunState): string {
  if (hasEnded(agent.record)) return agent.outcome ?? "";
  if (agent.record.state === "queued") return "queued";
  if (agent.record.state === "waiting") return waiting(agent, run);
  if (agent.record.state === "idle") return "idle";
  const now = agent.retry ?? toolLine(agent) ?? "thinking";
  return agent.summary === null ? now : `${agent.summary} · ${now}`;
}

function waiting(agent: AgentView, run: RunState): string {
  if (agent.record.waitReason === "permission") return "waiting for permission";
  if (agent.record.waitReason === "question") return "waiting for an answer";
  if (agent.record.waitReason === "message") return "waiting for a message";
  return `waiting for ${plural(run.livingChildren(agent), "child", "children")}`;
}

function toolLine({ lastTool }: AgentView): string | null {
  if (lastTool === null) return null;
  return lastTool.progress === null ? lastTool.line : `${lastTool.line} · ${lastTool.progress}`;
}

/** The name of an agent in its row and in permanent lines: its name, or its description. */
export function who(agent: AgentView): string {
  if (agent.record.name !== null) return agent.record.name;
  return agent.record.description === "" ? agent.label : agent.record.description;
}

function toolCount(agent: AgentView): string {
  return totalOf(agent.record).toolUses === 0 ? "" : plural(totalOf(agent.record).toolUses, "tool");
}
