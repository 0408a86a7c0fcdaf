import type { AgentResult, FailureCode } from "../agent-result.ts";
import type {
  AgentEvent,
  AgentSummary,
  StopReason,
  ToolCall,
  WaitReason,
} from "../events/event.ts";
import type { AgentId } from "../ids.ts";
import type { AgentState as LifecycleState } from "../lifecycle/agent-state.ts";
import { addUsage, noUsage, type Usage } from "../message.ts";
import { addCost } from "../model/prices.ts";
import { formatCall, formatOutcome } from "./format.ts";
import { RunTotals } from "./run-totals.ts";
import { plainLine } from "./sanitize.ts";

/**
 * What every view knows of a run, read from its events. It does no input or output and never looks at a clock, so
 * the same events always give the same state.
 *
 * Everything kept for showing is one short line that went through `plainLine`; ids are kept as they came. Memory is bounded: of more than
 * `maxAgents` agents the oldest ended ones are forgotten, while the totals still count them.
 */
export class RunState {
  readonly agents: Map<AgentId, AgentState> = new Map();
  /** How many ended agents are no longer in `agents`. */
  forgotten: number = 0;
  /** Over all agents, forgotten ones included. */
  readonly totals: RunTotals = new RunTotals();
  readonly #maxAgents: number;

  constructor(options: { maxAgents?: number } = {}) {
    this.#maxAgents = options.maxAgents ?? 500;
  }

  /** The agent that the event is about, or `undefined` when it was never introduced or is forgotten. */
  apply(event: AgentEvent): AgentState | undefined {
    this.totals.apply(event);
    if ("agent" in event) this.#introduce(event.agentId, event.agent);
    const agent = this.agents.get(event.agentId);
    if (agent !== undefined) advance(agent, event);
    return agent;
  }

  /** The agent that everything else was spawned below. */
  get main(): AgentState | undefined {
    return this.agents.values().next().value;
  }

  /** Labels from the main agent down: `main ▸ Explore`. */
  path(agent: AgentState): string {
    const parent = this.#parent(agent);
    return parent === undefined ? agent.label : `${this.path(parent)} ▸ ${agent.label}`;
  }

  livingChildren(agent: AgentState): number {
    let count = 0;
    for (const other of this.agents.values()) {
      if (other.parentId === agent.id && !hasEnded(other)) count += 1;
    }
    return count;
  }

  /** Depth first, siblings in the order in which they came, with the lines that draw the tree. */
  tree(hidden: ReadonlySet<AgentState> = new Set()): TreeRow[] {
    const byParent = Map.groupBy(
      this.agents.values().filter((agent) => !hidden.has(agent)),
      (agent) => this.#parent(agent),
    );
    const rows: TreeRow[] = [];
    const visit = (parent: AgentState | undefined, stem: string): void => {
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

  #parent(agent: AgentState): AgentState | undefined {
    return agent.parentId === null ? undefined : this.agents.get(agent.parentId);
  }

  #introduce(id: AgentId, summary: AgentSummary): void {
    if (this.agents.has(id)) return;
    const base = baseLabel(summary);
    const twins = this.agents
      .values()
      .filter((other) => other.parentId === summary.parentId && other.baseLabel === base)
      .map((other) => other.ordinal);
    const ordinal = Math.max(0, ...twins) + 1;
    this.agents.set(id, newAgent({ id, summary, base, ordinal }));
    if (this.agents.size > this.#maxAgents) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const parents = new Set(this.agents.values().map((agent) => agent.parentId));
    for (const agent of this.agents.values()) {
      if (agent === this.main || !hasEnded(agent) || parents.has(agent.id)) continue;
      this.agents.delete(agent.id);
      this.forgotten += 1;
      return;
    }
  }
}

export type AgentStatus = LifecycleState;

export interface AgentState {
  readonly id: AgentId;
  readonly type: string;
  readonly name: string | null;
  readonly description: string;
  readonly color: string | null;
  readonly model: string;
  readonly depth: number;
  readonly parentId: AgentId | null;
  readonly toolUseId: string | null;
  /** Tells it from its siblings: `Explore`, `Explore#2`. */
  readonly label: string;
  readonly baseLabel: string;
  readonly ordinal: number;
  /** Nobody waits for it. */
  background: boolean;
  status: AgentStatus;
  waitReason: WaitReason | null;
  turn: number;
  toolUses: number;
  denials: number;
  usage: Usage;
  /** In US dollars; null = unknown. */
  costUsd: number | null;
  /** The call that started last among those still open, or the last one of all. */
  lastTool: ToolActivity | null;
  readonly openTools: Map<string, ToolActivity>;
  /** Set while the model is being asked again. */
  retry: string | null;
  /** What it said it is doing, in the background. */
  summary: string | null;
  /** The limit of time that came near last. */
  warning: DeadlineClock | null;
  startedAt: number | null;
  endedAt: number | null;
  /** The agent has been silent since then. */
  lastEventAt: number;
  stopReason: StopReason | null;
  outcome: string | null;
  failure: FailureCode | null;
}

export type DeadlineClock = Extract<AgentEvent, { type: "deadline-warning" }>["clock"];

export interface ToolActivity {
  readonly name: string;
  readonly line: string;
  /** The last line that the running call showed. */
  progress: string | null;
}

export interface TreeRow {
  readonly agent: AgentState;
  readonly prefix: string;
}

export function hasEnded(agent: AgentState): boolean {
  return ended.has(agent.status);
}

/** Up to `now` while the agent lives. */
export function elapsed(agent: AgentState, now: number): number {
  return agent.startedAt === null ? 0 : Math.max(0, (agent.endedAt ?? now) - agent.startedAt);
}

const ended: ReadonlySet<AgentStatus> = new Set<AgentStatus>(["completed", "failed", "stopped"]);

function baseLabel(summary: AgentSummary): string {
  return plainLine(summary.name ?? (summary.parentId === null ? "main" : summary.type), 40);
}

function newAgent(seed: {
  id: AgentId;
  summary: AgentSummary;
  base: string;
  ordinal: number;
}): AgentState {
  const { id, summary, base, ordinal } = seed;
  return {
    id,
    type: plainLine(summary.type),
    name: summary.name === null ? null : plainLine(summary.name),
    description: plainLine(summary.description),
    color: summary.color,
    model: plainLine(summary.model),
    depth: summary.depth,
    parentId: summary.parentId,
    toolUseId: summary.toolUseId,
    label: ordinal === 1 ? base : `${base}#${ordinal}`,
    baseLabel: base,
    ordinal,
    background: summary.background,
    status: "queued",
    waitReason: null,
    turn: 0,
    toolUses: 0,
    denials: 0,
    usage: noUsage,
    costUsd: 0,
    lastTool: null,
    openTools: new Map(),
    retry: null,
    summary: null,
    warning: null,
    startedAt: null,
    endedAt: null,
    lastEventAt: 0,
    stopReason: null,
    outcome: null,
    failure: null,
  };
}

function advance(agent: AgentState, event: AgentEvent): void {
  if (isSignOfLife(event)) agent.lastEventAt = event.at;
  switch (event.type) {
    case "agent-queued":
      agent.status = "queued";
      return;
    case "agent-start":
      agent.background = event.agent.background;
      start(agent, event.at);
      return;
    case "agent-wait":
      agent.status = "waiting";
      agent.waitReason = event.reason;
      return;
    case "agent-wake":
      agent.status = "running";
      agent.waitReason = null;
      return;
    case "agent-idle":
      agent.status = "idle";
      return;
    case "turn-start":
      agent.status = "running";
      agent.turn = event.turn;
      agent.retry = null;
      return;
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
      agent.usage = addUsage(agent.usage, event.answer.usage);
      agent.costUsd = addCost(agent.costUsd, event.costUsd);
      return;
    case "spend":
      if (event.what !== "summary") agent.retry = null;
      agent.usage = addUsage(agent.usage, event.usage);
      agent.costUsd = addCost(agent.costUsd, event.costUsd);
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
    case "permission-deny":
      agent.denials += 1;
      return;
    case "tool-call-end":
      agent.retry = null;
      if (agent.warning !== "wall") agent.warning = null;
      endTool(agent, event.call.id);
      return;
    case "agent-end":
      end(agent, event.result, event.at);
      return;
    case "agent-background":
      agent.background = true;
      return;
    case "summary":
      agent.summary = plainLine(event.text);
      return;
    case "permission-request":
    case "permission-answer":
    case "mode-change":
    case "prompt":
    case "attachment":
      return;
  }
}

/** A warning that nothing moves is none, nor what somebody else says about the agent. */
function isSignOfLife(event: AgentEvent): boolean {
  if (event.type === "spend") return event.what !== "summary";
  return event.type !== "deadline-warning" && event.type !== "summary";
}

/** Also what happens when an ended agent is continued: counts go on, the clock starts anew. */
function start(agent: AgentState, at: number): void {
  agent.status = "running";
  agent.summary = null;
  agent.startedAt = at;
  agent.endedAt = null;
  agent.waitReason = null;
  agent.warning = null;
  agent.outcome = null;
  agent.failure = null;
}

function startTool(agent: AgentState, call: ToolCall): void {
  const activity = { name: plainLine(call.name), line: formatCall(call), progress: null };
  agent.toolUses += 1;
  agent.openTools.set(call.id, activity);
  agent.lastTool = activity;
}

function progress(agent: AgentState, callId: string, text: string): void {
  const activity = agent.openTools.get(callId);
  if (activity === undefined) return;
  const end = text.slice(-1000).trimEnd();
  activity.progress = plainLine(end.slice(end.lastIndexOf("\n") + 1));
}

function endTool(agent: AgentState, callId: string): void {
  agent.openTools.delete(callId);
  const stillOpen = [...agent.openTools.values()].at(-1);
  if (stillOpen !== undefined) agent.lastTool = stillOpen;
}

function end(agent: AgentState, result: AgentResult, at: number): void {
  agent.status = result.state;
  agent.endedAt = at;
  agent.waitReason = null;
  agent.retry = null;
  agent.warning = null;
  agent.openTools.clear();
  agent.outcome = formatOutcome(result);
  agent.failure = result.state === "failed" ? result.error.code : null;
}
