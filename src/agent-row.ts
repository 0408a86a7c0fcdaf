import type { AgentFailure, AgentFigures } from "./agent-result.ts";
import type { AgentId, SessionId } from "./ids.ts";
import type { AgentState } from "./lifecycle/agent-state.ts";
import type { Died } from "./lifecycle/died.ts";
import type { RunningAgent } from "./lifecycle/running-agent.ts";
import type { Session } from "./lifecycle/session.ts";
import { totalTokens, type Usage } from "./message.ts";

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

export function rowOf(running: RunningAgent, { clock, model }: Session): AgentRow {
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
