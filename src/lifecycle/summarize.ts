import type { AgentSummary } from "../events/event.ts";
import type { ResolvedAgent } from "../contract/resolved-agent.ts";

/** The introduction of an agent in its events. */
export function summarize(
  agent: ResolvedAgent,
  { scripted, standing, prompt }: { scripted: boolean; standing: boolean; prompt: string | null },
): AgentSummary {
  return {
    type: agent.type,
    name: agent.name,
    description: agent.description,
    color: agent.color,
    model: agent.costs.model,
    modelFrom: agent.costs.modelFrom,
    scripted,
    maxTurns: agent.costs.maxTurns,
    cwd: agent.workspace.cwd,
    parentId: agent.relates.parentId,
    depth: agent.relates.depth,
    toolUseId: agent.relates.toolUseId,
    standing,
    background: agent.relates.background,
    prompt,
    tools: agent.can.tools,
    permissionMode: agent.meets.permissions.mode,
    modeRefused: agent.meets.mode.refused,
  };
}
