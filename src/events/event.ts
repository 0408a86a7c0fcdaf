import type { AgentResult } from "../contract/agent-result.ts";
import type { EarlierRuns } from "./agent-record.ts";
import type { AgentId, SessionId } from "../contract/ids.ts";
import type { AssistantMessage, Attachment, ToolResultBlock, Usage } from "../contract/message.ts";

/**
 * The one event union. Transcript, terminal, page and fleet are its readers; there is no other source about an agent.
 *
 * Order for one agent: `agent-queued` (only if it had to wait for a slot), `agent-start`, then per turn `turn-start`,
 * deltas and retries, `assistant-message`, tool calls; last `agent-end`. Parallel tool calls emit their ends in the
 * order in which they finish.
 */
export type AgentEvent = EventHeader & AgentEventBody;

/** The events of one type. */
export type EventOf<Type extends AgentEvent["type"]> = AgentEvent & { type: Type };

export interface EventHeader {
  agentId: AgentId;
  sessionId: SessionId;
  /** Time in milliseconds since the epoch. */
  at: number;
}

export type AgentEventBody =
  /**
   * The agent waits for a slot. `position`: roughly how many agents are served up to it; its turn can come sooner where
   * parents take turns, or a limit of few agents is full.
   */
  | { type: "agent-queued"; position: number; agent: AgentSummary }
  | { type: "agent-start"; agent: AgentSummary }
  | { type: "agent-wait"; reason: WaitReason }
  | { type: "agent-wake" }
  | { type: "agent-idle"; agent: AgentSummary }
  /** The agent was moved to the background. */
  | { type: "agent-background" }
  | {
      type: "prompt";
      text: string;
      attachments: Attachment[];
      source: PromptSource;
      /** Id of a message or notification, which keeps it from being delivered twice. */
      mailId?: string;
    }
  | { type: "turn-start"; turn: number; wrapUp: boolean }
  | { type: "text-delta"; text: string }
  | { type: "thinking-delta"; text: string }
  | { type: "model-retry"; attempt: number; code: string; message: string; delayMs: number }
  | {
      type: "assistant-message";
      turn: number;
      answer: AnswerRecord;
      /** Cost of this answer in US dollars; `null` = unknown. */
      costUsd: number | null;
      /** Time from the first request to the whole answer, pauses between attempts included. */
      durationMs: number;
    }
  | { type: "tool-call-start"; call: ToolCall }
  | { type: "tool-call-progress"; callId: string; text: string }
  /** A person, or the host in a person's place, is asked. */
  | {
      type: "permission-request";
      call: ToolCall;
      reason: string;
      part: string | null;
      suggestions: string[];
    }
  | { type: "permission-answer"; call: ToolCall; allowed: boolean; by: string }
  | { type: "permission-deny"; call: ToolCall; reason: string }
  /** An approved plan has returned the agent to another mode, which decides the rest of its task. */
  | { type: "mode-change"; from: string; to: string; by: string }
  | {
      type: "tool-call-end";
      call: ToolCall;
      result: ToolResultBlock;
      data: unknown;
      durationMs: number;
    }
  /** Usage besides the agent's answers: by a web search, an interrupted answer or a summary. */
  | {
      type: "spend";
      what: "search" | "broken-answer" | "summary";
      model: string;
      usage: Usage;
      searches: number;
      costUsd: number | null;
      /** Time of a search or a summary. The time of a broken answer is part of that of the next one. */
      durationMs: number;
    }
  /** A time limit is near. `callId`: the tool call that it belongs to. */
  | {
      type: "deadline-warning";
      clock: "wall" | "progress" | "tool";
      callId: string | null;
      leftMs: number;
      message: string;
    }
  /** One line about the work of a background agent. The agent itself never sees it. */
  | { type: "summary"; text: string }
  | { type: "attachment"; attachment: Attachment }
  | { type: "agent-end"; result: AgentResult };

/** The identity of an agent: the fields that its readers need. */
export interface AgentIdentity {
  readonly type: string;
  readonly name: string | null;
  readonly description: string;
  readonly color: string | null;
  readonly model: string;
  /** The source of the model: call, definition, parent, default or the environment. */
  readonly modelFrom: string;
  /** Whether answers come from a script, not from a model. */
  readonly scripted: boolean;
  readonly maxTurns: number;
  readonly cwd: string;
  readonly parentId: AgentId | null;
  readonly depth: number;
  /** The parent's call that requested the agent. */
  readonly toolUseId: string | null;
  /** Whether the agent takes one task after the other and idles between them. */
  readonly standing: boolean;
  /** Whether the agent runs in the background: its parent is notified when it ends. */
  readonly background: boolean;
}

/** The introduction of an agent to readers that have not seen it before. */
export interface AgentSummary extends AgentIdentity {
  /**
   * The part of the record that is older than the run; only in the first event of a run, and only if there is such a
   * part.
   */
  earlier?: EarlierRuns;
  prompt: string | null;
  tools: readonly string[];
  permissionMode: string;
  /** Mode that was requested and refused, in one sentence; `null`: none. */
  modeRefused: string | null;
}

/** One whole answer of a model. */
export interface AnswerRecord {
  id: string;
  requestId: string;
  model: string;
  message: AssistantMessage;
  stopReason: StopReason;
  usage: Usage;
}

export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "stop_sequence" | "refusal";
export type WaitReason = "child" | "permission" | "question" | "message";
/**
 * The source of a prompt: a person or host, the parent agent, or the harness itself (to resume, to wrap up). A
 * `message` was sent while the agent worked; a `notification` reports the end of background work.
 */
export type PromptSource = "human" | "parent" | "harness" | "message" | "notification";

export interface ToolCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
}
