import { randomUUID } from "node:crypto";
import type { AgentResult } from "../../contract/agent-result.ts";
import type { AgentEvent, AnswerRecord, EventOf } from "../../events/event.ts";
import type { AgentId, SessionId } from "../../contract/ids.ts";
import { type AssistantBlock, type ToolResultBlock, type Usage } from "../../contract/message.ts";
import type { RunState } from "./run-state.ts";
import type { RunTotals } from "../run/run-totals.ts";
import type {
  AssistantFrame,
  Frame,
  InitFrame,
  ModelUsageFields,
  ResultFrame,
  StreamEventFrame,
  UsageFields,
  UserFrame,
} from "./stream-json-frames.ts";
import {
  movedFrame,
  newEnvelope,
  notificationFrame,
  progressFrame,
  startedFrame,
} from "./stream-json-tasks.ts";

/**
 * `--output-format stream-json`: the frames that programs written for Claude Code read. An unknown price is null, never
 * guessed.
 *
 * `run` must have applied the event already. The last frame, `resultFrame`, is the caller's: a run ends when the host
 * says so, not when one agent does.
 */
export function eventFrames(event: AgentEvent, context: StreamContext): Frame[] {
  const agent = context.run.agents.get(event.agentId);
  if (agent === undefined) return [];
  const envelope = newEnvelope(event.sessionId);
  const message = { parent_tool_use_id: agent.record.toolUseId, ...envelope };
  const isChild = agent.record.parentId !== null;
  switch (event.type) {
    case "agent-start":
      return [isChild ? startedFrame(event) : initFrame(event, context)];
    case "prompt":
      // The main agent's own prompt came from the reader of these frames.
      if (!isChild && event.source === "human") return [];
      return [{ type: "user", message: userText(event.text), ...message }];
    case "text-delta":
    case "thinking-delta":
      return context.partialMessages
        ? [{ type: "stream_event", event: deltaEvent(event), ...message }]
        : [];
    case "assistant-message":
      return assistantFrames(event, agent.record.toolUseId);
    case "tool-call-end": {
      const result: UserFrame = {
        type: "user",
        message: { role: "user", content: [event.result] satisfies ToolResultBlock[] },
        ...message,
        ...(event.data === undefined ? {} : { tool_use_result: event.data }),
      };
      return isChild ? [result, progressFrame(event, agent, event.call.name)] : [result];
    }
    case "permission-deny":
      return [
        {
          type: "system",
          subtype: "permission_denied",
          tool_name: event.call.name,
          tool_use_id: event.call.id,
          agent_id: event.agentId,
          reason: event.reason,
          ...envelope,
        },
      ];
    case "mode-change":
      return [
        {
          type: "system",
          subtype: "status",
          status: null,
          permissionMode: event.to,
          agent_id: event.agentId,
          ...envelope,
        },
      ];
    case "agent-background":
      return [movedFrame(event, agent)];
    case "summary":
      return isChild ? [progressFrame(event, agent, agent.lastTool?.name, event.text)] : [];
    case "agent-end":
      return isChild
        ? [notificationFrame(event, agent, context.session.taskOutput(agent.record.id))]
        : [];
    default:
      return [];
  }
}

/** The end of a run: the last frame of `stream-json`, and the whole document of `json`. */
export function resultFrame(options: {
  totals: RunTotals;
  sessionId: SessionId;
  /** The main agent's result. */
  result: AgentResult;
  scripted: boolean;
}): ResultFrame {
  const { totals, sessionId, result } = options;
  return {
    type: "result",
    subtype: resultSubtype(result),
    is_error: result.state !== "completed",
    num_turns: result.turns,
    duration_ms: result.durationMs,
    duration_api_ms: totals.modelMs,
    stop_reason: totals.stopReason,
    result: result.content,
    retinue_scripted: options.scripted,
    ...(result.state === "completed" ? {} : { errors: [formatError(result)] }),
    total_cost_usd: totals.used.costUsd,
    usage: {
      ...usageFields(totals.used.usage),
      server_tool_use: { web_search_requests: totals.searches },
    },
    modelUsage: Object.fromEntries(
      totals.byModel
        .entries()
        .map(([model, { usage, costUsd }]) => [model, modelUsageFields(usage, costUsd)]),
    ),
    permission_denials: totals.denials.map(({ agentId, call }) => ({
      tool_name: call.name,
      tool_use_id: call.id,
      tool_input: call.input,
      agent_id: agentId,
    })),
    ...newEnvelope(sessionId),
  };
}

/**
 * One line of JSON. Characters that a terminal would act on but JSON leaves alone (C1 controls, reversals of direction)
 * become `\u` escapes: the data stays the same, and a frame is safe to display.
 */
export function frameLine(frame: Frame | ResultFrame): string {
  const json = JSON.stringify(frame).replace(
    /[\x7f-\x9f\u2028\u2029]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${json}\n`;
}

export interface StreamContext {
  readonly run: RunState;
  /** `stream_event` frames as well. */
  readonly partialMessages: boolean;
  readonly session: SessionFacts;
}

/** Facts of the first frame that no event carries. */
export interface SessionFacts {
  readonly cwd: string;
  /** Types that can be spawned. */
  readonly agents: readonly string[];
  readonly version: string;
  readonly scripted: boolean;
  /** The path of the output file of an agent in the background. */
  readonly taskOutput: (id: AgentId) => string;
}

function initFrame(event: EventOf<"agent-start">, { session }: StreamContext): InitFrame {
  return {
    type: "system",
    subtype: "init",
    cwd: session.cwd,
    tools: event.agent.tools,
    mcp_servers: [],
    model: event.agent.model,
    permissionMode: event.agent.permissionMode,
    agents: session.agents,
    retinue_version: session.version,
    retinue_scripted: session.scripted,
    ...newEnvelope(event.sessionId),
  };
}

function assistantFrames(
  { answer, sessionId }: EventOf<"assistant-message">,
  parentToolUseId: string | null,
): AssistantFrame[] {
  const blocks = answer.message.content;
  const contents = blocks.length === 0 ? [[]] : blocks.map((block) => [block]);
  return contents.map((content) => ({
    type: "assistant",
    message: apiMessage(answer, content),
    parent_tool_use_id: parentToolUseId,
    uuid: randomUUID(),
    session_id: sessionId,
  }));
}

function apiMessage(answer: AnswerRecord, content: AssistantBlock[]): AssistantFrame["message"] {
  return {
    id: answer.id,
    type: "message",
    role: "assistant",
    model: answer.model,
    content,
    stop_reason: answer.stopReason,
    stop_sequence: null,
    usage: usageFields(answer.usage),
  };
}

function userText(text: string): UserFrame["message"] {
  return { role: "user", content: [{ type: "text", text }] };
}

function deltaEvent(
  event: EventOf<"text-delta"> | EventOf<"thinking-delta">,
): StreamEventFrame["event"] {
  const delta =
    event.type === "text-delta"
      ? ({ type: "text_delta", text: event.text } as const)
      : ({ type: "thinking_delta", thinking: event.text } as const);
  return { type: "content_block_delta", index: 0, delta };
}

function resultSubtype(result: AgentResult): ResultFrame["subtype"] {
  if (result.state === "completed") return "success";
  const reachedLimit = result.state === "failed" && result.error.code === "max_turns";
  return reachedLimit ? "error_max_turns" : "error_during_execution";
}

function formatError(result: Exclude<AgentResult, { state: "completed" }>): string {
  return result.state === "failed"
    ? `${result.error.code}: ${result.error.message}`
    : result.reason;
}

function usageFields(usage: Usage): UsageFields {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
  };
}

function modelUsageFields(usage: Usage, costUSD: number | null): ModelUsageFields {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadInputTokens: usage.cacheRead,
    cacheCreationInputTokens: usage.cacheWrite,
    costUSD,
  };
}
