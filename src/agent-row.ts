import type { AgentFailure, AgentFigures } from "./agent-result.ts";
import type { AgentId, SessionId } from "./ids.ts";
import type { AgentState } from "./lifecycle/agent-state.ts";
import type { Died } from "./lifecycle/died.ts";
import { hasLeft, type FoundAgent } from "./lifecycle/found-agent.ts";
import type { RunningAgent } from "./lifecycle/running-agent.ts";
import type { Session } from "./lifecycle/session.ts";
import { totalTokens, type Usage } from "./message.ts";
import type { EndedAgent } from "./transcript/ended-agent.ts";
import type { SessionPaths } from "./transcript/paths.ts";
import { readResultText } from "./transcript/read-result.ts";

/** One agent in a list. */
export interface AgentRow {
  id: AgentId;
  name: string | null;
  type: string;
  description: string;
  state: AgentState;
  parentId: AgentId | null;
  sessionId: SessionId;
  depth: number;
  /** Nobody waits for it: whoever asked for it is told when it ends. */
  background: boolean;
  model: string;
  /** Which voice decided the model: call, definition, parent, default or the environment. */
  modelFrom: string;
  /** Its replies come from a script, not from a model. */
  scripted: boolean;
  startedAt: number;
  endedAt?: number;
  progress: {
    turns: number;
    maxTurns: number;
    toolUses: number;
    tokens: number;
    lastTool: string | null;
  };
  /** The sum over turns, and over the tasks of a standing agent. */
  usage: Usage;
  /** In US dollars, summed like `usage`; `null` = unknown, because the price of some answer is. */
  cost: number | null;
}

/** An agent that was told to end, and what ended because of that. */
export interface StoppedRow extends AgentRow {
  died: Died;
}

export interface AgentOutput {
  agentId: AgentId;
  state: AgentState;
  /** The result, or what the agent said last so far. */
  content: string;
  /** Once it has ended. */
  metrics?: AgentFigures;
  error?: AgentFailure;
  /** The wait was over before the agent ended. The agent goes on untouched. */
  timedOut: boolean;
}

/** As they started, parents before their children, also where the clock was set back in between. */
export function inOrder(rows: readonly AgentRow[]): AgentRow[] {
  const starts = new Map<AgentId | null, number>();
  for (const { id, parentId, startedAt } of rows.toSorted((a, b) => a.depth - b.depth))
    starts.set(id, Math.max(startedAt, starts.get(parentId) ?? startedAt));
  const startOf = ({ id }: AgentRow): number => starts.get(id) ?? 0;
  return rows.toSorted((a, b) => startOf(a) - startOf(b) || a.depth - b.depth);
}

export function rowOf(agent: FoundAgent, session: Session): AgentRow {
  return hasLeft(agent) ? rowOfEnded(agent) : rowOfRunning(agent, session);
}

/** A row of an agent that is no longer in memory. */
function rowOfEnded({ agentType, description, spawnDepth, retinue }: EndedAgent): AgentRow {
  const { name, state, parentId, model, scripted, startedAt, endedAt, costUsd, end } = retinue;
  return {
    id: retinue.agentId as AgentId,
    name,
    type: agentType,
    description,
    state,
    parentId: parentId as AgentId | null,
    sessionId: retinue.sessionId as SessionId,
    depth: spawnDepth,
    background: retinue.background,
    model,
    modelFrom: end.modelFrom,
    scripted,
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    progress: {
      turns: end.figures.turns,
      maxTurns: end.maxTurns,
      toolUses: end.figures.toolUses,
      tokens: totalTokens(end.usage),
      lastTool: end.lastTool,
    },
    usage: end.usage,
    cost: costUsd ?? null,
  };
}

/** What an agent that is no longer in memory has left. */
export async function outputOfEnded(
  { spawnDepth, retinue }: EndedAgent,
  paths: SessionPaths,
): Promise<AgentOutput> {
  const agentId = retinue.agentId as AgentId;
  const { state, end, error } = retinue;
  const transcript = spawnDepth === 0 ? paths.mainTranscript : paths.transcript(agentId);
  return {
    agentId,
    state,
    content: await readResultText(transcript),
    metrics: end.figures,
    ...(error === undefined ? {} : { error: error as AgentFailure }),
    timedOut: false,
  };
}

function rowOfRunning(running: RunningAgent, { clock, model }: Session): AgentRow {
  const { agent } = running;
  const now = clock.now();
  const { turns, toolUses } = running.figures(now);
  const usage = running.usage(now);
  return {
    id: agent.id,
    name: agent.name,
    type: agent.type,
    description: agent.description,
    state: running.state,
    parentId: agent.relates.parentId,
    sessionId: agent.sessionId,
    depth: agent.relates.depth,
    background: running.isBackground,
    model: agent.costs.model,
    modelFrom: agent.costs.modelFrom,
    scripted: model.scripted,
    startedAt: running.startedAt,
    ...(running.endedAt === undefined ? {} : { endedAt: running.endedAt }),
    progress: {
      turns,
      maxTurns: agent.costs.maxTurns,
      toolUses,
      tokens: totalTokens(usage),
      lastTool: running.lastTool,
    },
    usage,
    cost: running.costUsd(now),
  };
}
