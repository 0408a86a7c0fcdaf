import type { AgentResult } from "../contract/agent-result.ts";
import type { AgentEventBody, AnswerRecord, PromptSource } from "../events/event.ts";
import type { Attachment, ToolResultBlock, Usage } from "../contract/message.ts";

/**
 * The lines of a transcript, in the shape that other readers of such files rely on. Lines that only we need have a
 * type of their own (`retinue-…`) and no `uuid`, so that those readers skip them.
 */
export interface Envelope {
  isSidechain: boolean;
  agentId?: string;
  entrypoint: string;
  cwd: string;
  sessionId: string;
  version: string;
  gitBranch?: string;
}

/** The content of a line, before the envelope is added. The key order is that of the files people already have. */
export type EntryBody = Record<string, unknown> & { type: "user" | "assistant" | "attachment" };

export function promptBody(
  text: string,
  source: PromptSource,
  {
    promptId,
    permissionMode,
    mailId,
  }: { promptId: string; permissionMode: string; mailId?: string | undefined },
): EntryBody {
  return {
    promptId,
    type: "user",
    message: { role: "user", content: text },
    ...(source === "harness" ? { isMeta: true } : { permissionMode }),
    ...(source === "human" ? { promptSource: "sdk", origin: { kind: "human" } } : {}),
    ...(source === "message" ? { origin: { kind: "message" } } : {}),
    ...(source === "notification" ? { origin: { kind: "task-notification" } } : {}),
    ...(mailId === undefined ? {} : { retinueMail: mailId }),
  };
}

export function attachmentBody(attachment: Attachment): EntryBody {
  const { type, text, details } = attachment;
  return { attachment: { type, ...details, text }, type: "attachment" };
}

/** One line per content block; each repeats the answer's id and its whole usage, so that readers de-duplicate. */
export function answerBodies(
  answer: AnswerRecord,
  { agentType, costUsd }: { agentType: string | null; costUsd: number | null },
): EntryBody[] {
  const { content } = answer.message;
  const blocks = content.length === 0 ? [[]] : content.map((block) => [block]);
  return blocks.map((block) => ({
    message: {
      id: answer.id,
      type: "message",
      role: "assistant",
      model: answer.model,
      content: block,
      stop_reason: answer.stopReason,
      stop_sequence: null,
      usage: usageRecord(answer.usage),
    },
    requestId: answer.requestId,
    ...(agentType === null ? {} : { attributionAgent: agentType }),
    ...(costUsd === null ? {} : { retinueCostUsd: costUsd }),
    type: "assistant" as const,
  }));
}

export function toolResultBody(
  result: ToolResultBlock,
  data: unknown,
  links: { promptId: string; assistantUuid: string | null },
): EntryBody {
  const { tool_use_id, type, content, is_error } = result;
  return {
    promptId: links.promptId,
    type: "user",
    message: {
      role: "user",
      content: [{ tool_use_id, type, content, ...(is_error === undefined ? {} : { is_error }) }],
    },
    ...(data === undefined ? {} : { toolUseResult: data }),
    ...(links.assistantUuid === null ? {} : { sourceToolAssistantUUID: links.assistantUuid }),
  };
}

/** The intent to run a step, on disk before its effect. Its outcome is the ordinary line that follows. */
export function stepLine(key: string, sessionId: string, at: number): object {
  return { type: "retinue-step", key, timestamp: new Date(at).toISOString(), sessionId };
}

/** A run as it begins: all that the agent needs to be run in another process. */
export interface RunRecord {
  readonly agent: object;
  /** The prompt; null: the run continues with the previous task. */
  readonly prompt: string | null;
}

export function recordLine(record: RunRecord, sessionId: string, at: number): object {
  return { type: "retinue-record", ...record, timestamp: new Date(at).toISOString(), sessionId };
}

/** The end of a run. Its text is left out if it is that of the last answer. */
export function endLine(
  result: AgentResult,
  lastText: string,
  sessionId: string,
  at: number,
): object {
  const { content, ...rest } = result;
  // Without a text of this run a reader would use that of an earlier one.
  const isSaid = content !== "" && content === lastText;
  return {
    type: "retinue-end",
    result: { ...rest, ...(isSaid ? {} : { content }) },
    timestamp: new Date(at).toISOString(),
    sessionId,
  };
}

/** Usage besides the answers: part of the bill, not of the conversation. */
export function spendLine(
  spend: Extract<AgentEventBody, { type: "spend" }>,
  sessionId: string,
  at: number,
): object {
  const { what, model, usage, searches, costUsd } = spend;
  const timestamp = new Date(at).toISOString();
  return {
    type: "retinue-spend",
    what,
    model,
    usage: usageRecord(usage, searches),
    costUsd,
    timestamp,
    sessionId,
  };
}

/** A change of mode, because the agent's plan was approved. */
export function modeLine(
  { from, to, by }: Extract<AgentEventBody, { type: "mode-change" }>,
  sessionId: string,
  at: number,
): object {
  return { type: "retinue-mode", from, to, by, timestamp: new Date(at).toISOString(), sessionId };
}

/** Usage with the provider's field names. Zeros are written, because readers drop lines that hold `null`. */
export function usageRecord(usage: Usage, searches: number = 0): Record<string, unknown> {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
    server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
    service_tier: "standard",
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: usage.cacheWrite },
  };
}
