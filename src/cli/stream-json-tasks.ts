import { randomUUID } from "node:crypto";
import type { AgentEvent, EventHeader } from "../events/event.ts";
import type { SessionId } from "../ids.ts";
import { totalTokens } from "../message.ts";
import { formatOutcome } from "./format.ts";
import { elapsed, type AgentState } from "./run-state.ts";
import type {
  Envelope,
  TaskNotificationFrame,
  TaskProgressFrame,
  TaskStartedFrame,
  TaskUpdatedFrame,
  TaskUsage,
} from "./stream-json-frames.ts";

type EventOf<Type extends AgentEvent["type"]> = AgentEvent & { type: Type };

export function startedFrame({
  agentId,
  agent,
  sessionId,
}: EventOf<"agent-start">): TaskStartedFrame {
  return {
    type: "system",
    subtype: "task_started",
    task_id: agentId,
    tool_use_id: agent.toolUseId,
    description: agent.description,
    subagent_type: agent.type,
    task_type: "local_agent",
    prompt: agent.prompt,
    is_backgrounded: agent.background,
    spawn_depth: agent.depth,
    ...newEnvelope(sessionId),
  };
}

export function progressFrame(
  event: EventHeader,
  agent: AgentState,
  lastTool: string | undefined,
  summary?: string,
): TaskProgressFrame {
  return {
    type: "system",
    subtype: "task_progress",
    task_id: agent.id,
    tool_use_id: agent.toolUseId,
    description: agent.description,
    subagent_type: agent.type,
    usage: taskUsage(agent, event.at),
    ...(lastTool === undefined ? {} : { last_tool_name: lastTool }),
    ...(summary === undefined ? {} : { summary }),
    ...newEnvelope(event.sessionId),
  };
}

/** It was moved to the background. */
export function movedFrame({ sessionId }: EventHeader, agent: AgentState): TaskUpdatedFrame {
  return {
    type: "system",
    subtype: "task_updated",
    task_id: agent.id,
    tool_use_id: agent.toolUseId,
    is_backgrounded: true,
    patch: { is_backgrounded: true },
    ...newEnvelope(sessionId),
  };
}

export function notificationFrame(
  event: EventOf<"agent-end">,
  agent: AgentState,
  taskOutput: string,
): TaskNotificationFrame {
  const { result } = event;
  const file = result.contentFile ?? (agent.background ? taskOutput : undefined);
  return {
    type: "system",
    subtype: "task_notification",
    task_id: agent.id,
    tool_use_id: agent.toolUseId,
    status: result.state,
    summary: formatOutcome(result),
    ...(file === undefined ? {} : { output_file: file }),
    usage: taskUsage(agent, event.at),
    ...newEnvelope(event.sessionId),
  };
}

export function newEnvelope(sessionId: SessionId): Envelope {
  return { uuid: randomUUID(), session_id: sessionId };
}

function taskUsage(agent: AgentState, now: number): TaskUsage {
  return {
    total_tokens: totalTokens(agent.usage),
    tool_uses: agent.toolUses,
    duration_ms: elapsed(agent, now),
  };
}
