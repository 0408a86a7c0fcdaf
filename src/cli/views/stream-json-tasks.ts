import { totalOf } from "../../events/agent-record.ts";
import { randomUUID } from "node:crypto";
import type { EventHeader, EventOf } from "../../events/event.ts";
import type { SessionId } from "../../contract/ids.ts";
import { totalTokens } from "../../contract/message.ts";
import { formatOutcome } from "../terminal/format.ts";
import { elapsed, type AgentView } from "./run-state.ts";
import type {
  FrameEnvelope,
  TaskNotificationFrame,
  TaskProgressFrame,
  TaskStartedFrame,
  TaskUpdatedFrame,
  TaskUsage,
} from "./stream-json-frames.ts";

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
  agent: AgentView,
  lastTool: string | undefined,
  summary?: string,
): TaskProgressFrame {
  return {
    type: "system",
    subtype: "task_progress",
    task_id: agent.record.id,
    tool_use_id: agent.record.toolUseId,
    description: agent.record.description,
    subagent_type: agent.record.type,
    usage: taskUsage(agent, event.at),
    ...(lastTool === undefined ? {} : { last_tool_name: lastTool }),
    ...(summary === undefined ? {} : { summary }),
    ...newEnvelope(event.sessionId),
  };
}

/** The frame of an agent that was moved to the background. */
export function movedFrame({ sessionId }: EventHeader, agent: AgentView): TaskUpdatedFrame {
  return {
    type: "system",
    subtype: "task_updated",
    task_id: agent.record.id,
    tool_use_id: agent.record.toolUseId,
    is_backgrounded: true,
    patch: { is_backgrounded: true },
    ...newEnvelope(sessionId),
  };
}

export function notificationFrame(
  event: EventOf<"agent-end">,
  agent: AgentView,
  taskOutput: string,
): TaskNotificationFrame {
  const { result } = event;
  const file = result.contentFile ?? (agent.record.background ? taskOutput : undefined);
  return {
    type: "system",
    subtype: "task_notification",
    task_id: agent.record.id,
    tool_use_id: agent.record.toolUseId,
    status: result.state,
    summary: formatOutcome(result),
    ...(file === undefined ? {} : { output_file: file }),
    usage: taskUsage(agent, event.at),
    ...newEnvelope(event.sessionId),
  };
}

export function newEnvelope(sessionId: SessionId): FrameEnvelope {
  return { uuid: randomUUID(), session_id: sessionId };
}

function taskUsage(agent: AgentView, now: number): TaskUsage {
  return {
    total_tokens: totalTokens(totalOf(agent.record).usage),
    tool_uses: totalOf(agent.record).toolUses,
    duration_ms: elapsed(agent, now),
  };
}
