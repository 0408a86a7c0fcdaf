import { advance, hasEnded, introduce, type AgentRecord } from "../../events/agent-record.ts";
import type { AgentEvent, AgentIdentity, StopReason, ToolCall } from "../../events/event.ts";
import type { AgentId } from "../../contract/ids.ts";
import { formatCall, formatOutcome } from "../terminal/format.ts";
import { RunTotals } from "../run/run-totals.ts";
import { plainLine } from "../terminal/sanitize.ts";

/**
 * The state of a run that every view shows, folded from its events. Does no input or output and never reads a clock, so
 * the same events always give the same state.
 *
 * Everything kept for display is one short line that went through `plainLine`; ids are kept as they came. Memory is
 * bounded: of more than `maxAgents` agents the oldest ended ones are forgotten, while the totals still count them.
 */
export class RunState {
  readonly agents: Map<AgentId, AgentView> = new Map();
  /** The number of ended agents that are no longer in `agents`. */
  forgotten: number = 0;
  /** Totals of all agents, forgotten ones included. */
  readonly totals: RunTotals = new RunTotals();
  readonly #maxAgents: number;

  constructor(options: { maxAgents?: number } = {}) {
    this.#maxAgents = options.maxAgents ?? 500;
  }

  /** Applies an event. Returns its agent, or `undefined` when that was never introduced or is forgotten. */
  apply(event: AgentEvent): AgentView | undefined {
    this.totals.apply(event);
    const shown = "agent" in event ? { ...event, agent: inPlainLines(event.agent) } : event;
    if ("agent" in shown && !this.agents.has(shown.agentId))
      this.#add(introduce(shown, shown.agent));
    const agent = this.agents.get(shown.agentId);
    if (agent !== undefined) follow(agent, shown);
    return agent;
  }

  /** Adds an agent that runs already, with its usage so far. */
  add(record: AgentRecord): AgentView {
    this.totals.add(record);
    return this.#add(inPlainLines(record));
  }

  /** The agent above all others. */
  get main(): AgentView | undefined {
    return this.agents.values().next().value;
  }

  /** Labels from the main agent down: `main ▸ Explore`. */
  path(agent: AgentView): string {
    const parent = this.#parent(agent);
    return parent === undefined ? agent.label : `${this.path(parent)} ▸ ${agent.label}`;
  }

  livingChildren(agent: AgentView): number {
    let count = 0;
    for (const other of this.agents.values()) {
      if (other.record.parentId === agent.record.id && !hasEnded(other.record)) count += 1;
    }
    return count;
  }

  /** Agents depth first, siblings in order of arrival, with the lines that draw the tree. */
  tree(hidden: ReadonlySet<AgentView> = new Set()): TreeRow[] {
    const byParent = Map.groupBy(
      this.agents.values().filter((agent) => !hidden.has(agent)),
      (agent) => this.#parent(agent),
    );
    const rows: TreeRow[] = [];
    const visit = (parent: AgentView | undefined, stem: string): void => {
      const siblings = byParent.get(parent) ?? [];
      for (const [index, agent] of siblings.entries()) {
        const last = index === siblings.length - 1;
        const isRoot = parent === undefined;
        rows.push({ agent, prefix: isRoot ? "" : stem + (last ? "└ " : "├ ") });
        visit(agent, isRoot ? "" : stem + (last ? "  " : "│ "));
      }
    };
    visit(undefined, "");
    return rows;
  }

  #parent(agent: AgentView): AgentView | undefined {
    return agent.record.parentId === null ? undefined : this.agents.get(agent.record.parentId);
  }

  #add(record: AgentRecord): AgentView {
    const base = baseLabel(record);
    const twins = this.agents
      .values()
      .filter((other) => other.record.parentId === record.parentId && other.baseLabel === base)
      .map((other) => other.ordinal);
    const ordinal = Math.max(0, ...twins) + 1;
    const view = newView(record, base, ordinal);
    this.agents.set(record.id, view);
    if (this.agents.size > this.#maxAgents) this.#forgetOldest();
    return view;
  }

  #forgetOldest(): void {
    const parents = new Set(this.agents.values().map(({ record }) => record.parentId));
    for (const agent of this.agents.values()) {
      const { record } = agent;
      if (agent === this.main || !hasEnded(record) || parents.has(record.id)) continue;
      this.agents.delete(record.id);
      this.forgotten += 1;
      return;
    }
  }
}

/** One agent of a run: its record, and more that a person wants to see. */
export interface AgentView {
  record: AgentRecord;
  /** The name that tells it from its siblings: `Explore`, `Explore#2`. */
  readonly label: string;
  readonly baseLabel: string;
  readonly ordinal: number;
  /** The call that started last among those still open, or the last one of all. */
  lastTool: ToolActivity | null;
  readonly openTools: Map<string, ToolActivity>;
  /** The retry under way; null when there is none. */
  retry: string | null;
  /** The line that describes its work in the background. */
  summary: string | null;
  /** The limit of time that came near last. */
  warning: DeadlineClock | null;
  /** The time of the last event; the agent has been silent since. */
  lastEventAt: number;
  stopReason: StopReason | null;
  outcome: string | null;
}

export type DeadlineClock = Extract<AgentEvent, { type: "deadline-warning" }>["clock"];

export interface ToolActivity {
  readonly name: string;
  readonly line: string;
  /** The last line that the running call showed. */
  progress: string | null;
}

export interface TreeRow {
  readonly agent: AgentView;
  readonly prefix: string;
}

/** The time of the run under way, up to `now`, or of the last one. */
export function elapsed({ record }: AgentView, now: number): number {
  if (!record.hasStarted) return 0;
  return Math.max(0, (record.endedAt ?? now) - record.run.startedAt);
}

function baseLabel({ name, parentId, type }: AgentIdentity): string {
  return plainLine(name ?? (parentId === null ? "main" : type), 40);
}

/** The identity with each displayed text as one harmless line. */
function inPlainLines<Identity extends AgentIdentity>(agent: Identity): Identity {
  return {
    ...agent,
    type: plainLine(agent.type),
    name: agent.name === null ? null : plainLine(agent.name),
    description: plainLine(agent.description),
    model: plainLine(agent.model),
  };
}

function newView(record: AgentRecord, base: string, ordinal: number): AgentView {
  return {
    record,
    label: ordinal === 1 ? base : `${base}#${ordinal}`,
    baseLabel: base,
    ordinal,
    lastTool: null,
    openTools: new Map(),
    retry: null,
    summary: null,
    warning: null,
    lastEventAt: record.run.startedAt,
    stopReason: null,
    outcome: null,
  };
}

function follow(agent: AgentView, event: AgentEvent): void {
  agent.record = advance(agent.record, event);
  if (isSignOfLife(event)) agent.lastEventAt = event.at;
  switch (event.type) {
    case "agent-start":
      agent.summary = null;
      agent.warning = null;
      agent.outcome = null;
      return;
    case "turn-start":
    case "text-delta":
    case "thinking-delta":
      agent.retry = null;
      return;
    case "model-retry":
      agent.retry = plainLine(`retry ${event.attempt}: ${event.code}, ${event.message}`);
      return;
    case "assistant-message":
      agent.retry = null;
      if (agent.warning === "progress") agent.warning = null;
      agent.stopReason = event.answer.stopReason;
      return;
    case "spend":
      if (event.what !== "summary") agent.retry = null;
      return;
    case "deadline-warning":
      agent.warning = event.clock;
      return;
    case "tool-call-start":
      startTool(agent, event.call);
      return;
    case "tool-call-progress":
      progress(agent, event.callId, event.text);
      return;
    case "tool-call-end":
      agent.retry = null;
      if (agent.warning !== "wall") agent.warning = null;
      endTool(agent, event.call.id);
      return;
    case "agent-end":
      agent.retry = null;
      agent.warning = null;
      agent.openTools.clear();
      agent.outcome = formatOutcome(event.result);
      return;
    case "summary":
      agent.summary = plainLine(event.text);
      return;
    default:
      return;
  }
}

/** Whether an event shows that an agent is alive: not a deadline warning, nor a summary of it by others. */
function isSignOfLife(event: AgentEvent): boolean {
  if (event.type === "spend") return event.what !== "summary";
  return event.type !== "deadline-warning" && event.type !== "summary";
}

function startTool(agent: AgentView, call: ToolCall): void {
  const activity = { name: plainLine(call.name), line: formatCall(call), progress: null };
  agent.openTools.set(call.id, activity);
  agent.lastTool = activity;
}

function progress(agent: AgentView, callId: string, text: string): void {
  const activity = agent.openTools.get(callId);
  if (activity === undefined) return;
  const end = text.slice(-1000).trimEnd();
  activity.progress = plainLine(end.slice(end.lastIndexOf("\n") + 1));
}

function endTool(agent: AgentView, callId: string): void {
  agent.openTools.delete(callId);
  const stillOpen = [...agent.openTools.values()].at(-1);
  if (stillOpen !== undefined) agent.lastTool = stillOpen;
}
