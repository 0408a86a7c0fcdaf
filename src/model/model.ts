import type { AnswerRecord } from "../events/event.ts";
import type { Message, Usage } from "../contract/message.ts";
import type { Effort } from "../contract/spawn-request.ts";

/** A provider of answers. One instance serves many agents, concurrently. */
export interface Model {
  /** For people: `anthropic`, `rehearsal`. */
  readonly provider: string;
  /** True when replies come from a script; every surface says so. */
  readonly scripted: boolean;
  /**
   * Sends one request and streams the answer. Yields pieces as they arrive and returns the whole answer.
   * Throws a `ModelError` for a fault of the provider, and `signal.reason` once the caller aborted; after an abort
   * it yields nothing more and holds nothing open. Never retries: that is the caller's business.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelAnswer>;
  /**
   * Lets the provider search the web: one request, answered like those of `stream`. Absent where it cannot; then no agent
   * of the model has the tool.
   */
  search?(query: WebQuery, signal: AbortSignal): AsyncGenerator<ModelDelta, WebFindings>;
}

export interface WebQuery {
  /** The model that searches. */
  model: string;
  query: string;
  /** Only these, or all but these: at most one of the two. */
  allowedDomains?: readonly string[];
  blockedDomains?: readonly string[];
  /** What an unfinished search left, to go on with it. */
  rest?: unknown;
}

export interface WebFindings {
  /** The model that answered. */
  model: string;
  /** What it says about what it found; this and the next two over the whole search so far. */
  text: string;
  links: readonly WebLink[];
  /** Why searches failed, in the provider's words. */
  problems: readonly string[];
  /** Of this request. */
  usage: Usage;
  searches: number;
  /** The provider paused: ask again with it to get the rest. */
  rest?: unknown;
}

export interface WebLink {
  title: string;
  url: string;
}

/** Plain data. Messages and tools do not change once they were sent: a provider may keep what it made of them. */
export interface ModelRequest {
  model: string;
  system: string;
  tools: readonly ToolSpec[];
  messages: readonly Message[];
  /** How hard to think; asks for thinking. */
  effort?: Effort;
  /** `off`: no thinking. Left to the provider otherwise. */
  thinking?: "off";
  /** Who asks, for scripts and traces. Never sent to a provider. */
  origin: RequestOrigin;
}

export interface RequestOrigin {
  agentId: string;
  agentType: string;
  /** 1 for the first request of this run of the agent. */
  turn: number;
  /** 1 for the first try of this request. */
  attempt: number;
  /** Not a turn of the agent: somebody asks what it is doing. */
  purpose?: "summary";
}

/** A tool as the model sees it. */
export interface ToolSpec {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

export type ModelDelta =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  /** What the answer has taken so far. It counts when the answer does not come to its end. */
  | { type: "usage"; model: string; usage: Usage; searches?: number }
  /** Nothing to show, but the answer grows: the input of a tool call arrives. Whoever waits must not call that a stall. */
  | { type: "alive" };

/** What can be shown of an answer that is arriving. */
export type TextDelta = Extract<ModelDelta, { text: string }>;

export function isText(delta: ModelDelta): delta is TextDelta {
  return delta.type === "text" || delta.type === "thinking";
}

export interface ModelAnswer extends AnswerRecord {
  /** Tool calls whose input was not valid JSON: call id → the raw text. Their `input` is `{}`. */
  malformed: Record<string, string>;
}

/** Every fault of every provider, classified once, where it occurs. */
export type ModelErrorCode =
  | "rate_limited"
  | "overloaded"
  | "server_error"
  | "connection"
  | "stream_broken"
  | "stalled"
  | "invalid_request"
  | "unauthorized"
  | "unscripted";

const retryable: ReadonlySet<ModelErrorCode> = new Set<ModelErrorCode>([
  "rate_limited",
  "overloaded",
  "server_error",
  "connection",
  "stream_broken",
  "stalled",
]);

export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  /** What the provider asked for, when it did. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    options?: { cause?: unknown; retryAfterMs?: number },
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options?.retryAfterMs;
  }

  get retryable(): boolean {
    return retryable.has(this.code);
  }
}
