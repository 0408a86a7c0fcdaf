import type { AgentRow } from "../agent-row.ts";
import type { AgentEvent, AgentEventBody } from "../events/event.ts";

/** The events that a view has missed of an agent which runs already, as far as they matter to what it shows. */
export function introduceAgent(row: AgentRow): AgentEvent[] {
  const agent = {
    type: row.type,
    name: row.name,
    description: row.description,
    color: null,
    model: row.model,
    parentId: row.parentId,
    toolUseId: null,
    depth: row.depth,
    background: row.background,
    prompt: null,
    tools: [],
    permissionMode: "default",
    modeRefused: null,
    maxTurns: row.progress.maxTurns,
  };
  const taken: AgentEventBody = {
    type: "spend",
    what: "broken-answer",
    model: row.model,
    usage: row.usage,
    searches: 0,
    costUsd: row.cost,
    durationMs: 0,
  };
  const first: AgentEventBody[] =
    row.state === "queued"
      ? [{ type: "agent-queued", position: 0, agent }]
      : [{ type: "agent-start", agent }, taken];
  const header = { agentId: row.id, sessionId: row.sessionId, at: row.startedAt };
  return first.map((body) => ({ ...header, ...body }));
}
