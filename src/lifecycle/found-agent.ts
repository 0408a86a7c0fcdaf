import type { AgentId } from "../ids.ts";
import type { EndedAgent } from "../transcript/ended-agent.ts";
import type { AgentState } from "./agent-state.ts";
import type { RunningAgent } from "./running-agent.ts";

/** An agent that somebody asks about: in memory, or, once it has left, as its files tell it. */
export type FoundAgent = RunningAgent | EndedAgent;

export function hasLeft(agent: FoundAgent): agent is EndedAgent {
  return "retinue" in agent;
}

/** What is known of both in the same way. */
export function identityOf(agent: FoundAgent): {
  id: AgentId;
  type: string;
  state: AgentState;
  parentId: AgentId | null;
} {
  if (!hasLeft(agent)) {
    const { id, type, relates } = agent.agent;
    return { id, type, state: agent.state, parentId: relates.parentId };
  }
  const { agentId, parentId, state } = agent.retinue;
  return {
    id: agentId as AgentId,
    type: agent.agentType,
    state,
    parentId: parentId as AgentId | null,
  };
}
