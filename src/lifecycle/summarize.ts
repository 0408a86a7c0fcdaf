import type { AgentSummary } from "../events/event.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";

export function summarize(agent: ResolvedAgent, prompt: string | null = null): AgentSummary {
  return {
    type: agent.type,
    name: agent.name,
    description: agent.description,
    color: agent.color,
    model: agent.costs.model,
    parentId: agent.relates.parentId,
    toolUseId: agent.relates.toolUseId,
    depth: agent.relates.depth,
    background: agent.relates.background,
    prompt,
    tools: agent.can.tools,
    permissionMode: agent.meets.permissions.mode,
    modeRefused: agent.meets.mode.refused,
    maxTurns: agent.costs.maxTurns,
  };
}
