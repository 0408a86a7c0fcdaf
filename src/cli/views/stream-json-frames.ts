import type { AgentResult } from "../../contract/agent-result.ts";
import type { StopReason } from "../../events/event.ts";
import type { AgentId, SessionId } from "../../contract/ids.ts";
import type { AssistantBlock, UserBlock } from "../../contract/message.ts";

/** Every frame of `--output-format json|stream-json`. */
export type Frame =
  | InitFrame
  | AssistantFrame
  | UserFrame
  | StreamEventFrame
  | TaskStartedFrame
  | TaskProgressFrame
  | TaskUpdatedFrame
  | TaskNotificationFrame
  | PermissionDeniedFrame
  | StatusFrame;

export interface FrameEnvelope {
  uuid: string;
  session_id: SessionId;
}

interface MessageEnvelope extends FrameEnvelope {
  /** Null for the main agent; for a child the call that spawned it. */
  parent_tool_use_id: string | null;
}

export interface InitFrame extends FrameEnvelope {
  type: "system";
  subtype: "init";
  cwd: string;
  tools: readonly string[];
  mcp_servers: readonly never[];
  model: string;
  permissionMode: string;
  agents: readonly string[];
  retinue_version: string;
  /** Whether answers come from a script, not from a model. */
  retinue_scripted: boolean;
}

/** One per content block; frames of one answer share `message.id` and repeat its usage. */
export interface AssistantFrame extends MessageEnvelope {
  type: "assistant";
  message: {
    id: string;
    type: "message";
    role: "assistant";
    model: string;
    content: AssistantBlock[];
    stop_reason: StopReason;
    stop_sequence: null;
    usage: UsageFields & { server_tool_use?: { web_search_requests: number } };
  };
}

export interface UserFrame extends MessageEnvelope {
  type: "user";
  message: { role: "user"; content: UserBlock[] };
  tool_use_result?: unknown;
}

export interface StreamEventFrame extends MessageEnvelope {
  type: "stream_event";
  event: {
    type: "content_block_delta";
    index: number;
    delta: { type: "text_delta"; text: string } | { type: "thinking_delta"; thinking: string };
  };
}

export interface TaskStartedFrame extends FrameEnvelope {
  type: "system";
  subtype: "task_started";
  task_id: AgentId;
  tool_use_id: string | null;
  description: string;
  subagent_type: string;
  task_type: "local_agent";
  prompt: string | null;
  is_backgrounded: boolean;
  spawn_depth: number;
}

export interface TaskProgressFrame extends FrameEnvelope {
  type: "system";
  subtype: "task_progress";
  task_id: AgentId;
  tool_use_id: string | null;
  description: string;
  subagent_type: string;
  usage: TaskUsage;
  last_tool_name?: string;
  /** One line about the current work of an agent in the background. */
  summary?: string;
}

/** The change of a task: a patch for readers that keep a list, and the same beside it for all others. */
export interface TaskUpdatedFrame extends FrameEnvelope {
  type: "system";
  subtype: "task_updated";
  task_id: AgentId;
  tool_use_id: string | null;
  is_backgrounded: boolean;
  patch: { is_backgrounded: boolean };
}

export interface TaskNotificationFrame extends FrameEnvelope {
  type: "system";
  subtype: "task_notification";
  task_id: AgentId;
  tool_use_id: string | null;
  status: AgentResult["state"];
  /** One line; the whole text is in the last `assistant` frame of the child. */
  summary: string;
  /** The file of a long result, or of an agent in the background. */
  output_file?: string;
  usage: TaskUsage;
}

export interface PermissionDeniedFrame extends FrameEnvelope {
  type: "system";
  subtype: "permission_denied";
  tool_name: string;
  tool_use_id: string;
  agent_id: AgentId;
  reason: string;
}

/** An agent continues in another mode. */
interface StatusFrame extends FrameEnvelope {
  type: "system";
  subtype: "status";
  status: null;
  permissionMode: string;
  agent_id: AgentId;
}

export interface ResultFrame extends FrameEnvelope {
  type: "result";
  subtype: "success" | "error_during_execution" | "error_max_turns";
  is_error: boolean;
  num_turns: number;
  duration_ms: number;
  /** Milliseconds spent waiting for models, over all agents. */
  duration_api_ms: number;
  stop_reason: StopReason | null;
  result: string;
  /** Whether answers came from a script, not from a model. */
  retinue_scripted: boolean;
  errors?: string[];
  /** Main agent and children together; null: not known. */
  total_cost_usd: number | null;
  /** Main agent and children together. */
  usage: UsageFields & { server_tool_use?: { web_search_requests: number } };
  modelUsage: Record<string, ModelUsageFields>;
  permission_denials: {
    tool_name: string;
    tool_use_id: string;
    tool_input: Record<string, unknown>;
    agent_id: AgentId;
  }[];
}

export interface TaskUsage {
  total_tokens: number;
  tool_uses: number;
  duration_ms: number;
}

export interface UsageFields {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

export interface ModelUsageFields {
  inputTokens: number;
  outputTokens: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
  costUSD: number | null;
}
