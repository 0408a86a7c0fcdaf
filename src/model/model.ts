import type { AnswerRecord } from "../events/event.ts";
import type { Message, Usage } from "../contract/message.ts";
import type { Effort } from "../contract/spawn-request.ts";

/** A provider of answers. One instance serves many agents, concurrently. */
export interface Model {
  /** Name for display: `anthropic`, `rehearsal`. */
  readonly provider: string;
  /** True if replies come from a script; every surface says so. */
  readonly scripted: boolean;
  /**
   * Sends one request and streams the answer. Yields pieces as they arrive and returns the whole answer. Throws a
   * `ModelError` for a fault of the provider, and `signal.reason` once the caller aborted; after an abort it yields
   * nothing more and holds nothing open. Never retries: that is the caller's business.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelAnswer>;
  /**
   * Lets the provider search the web: one request, answered like those of `stream`. Absent if the provider cannot; then
   * no agent of the model has the tool.
   */
  search?(query: WebQuery, signal: AbortSignal): AsyncGenerator<ModelDelta, WebFindings>;
}

export interface WebQuery {
  /** The model that searches. */
  model: string;
  query: string;
  /** Domains to search, or domains to exclude: at most one of the two. */
  allowedDomains?: readonly string[];
  blockedDomains?: readonly string[];
  /** State of an unfinished search, to resume it. */
  rest?: unknown;
}

export interface WebFindings {
  /** The model that answered. */
  model: string;
  /** The model's text about its findings; this and the next two fields cover the whole search so far. */
  text: string;
  links: readonly WebLink[];
  /** Reasons why searches failed, in the provider's words. */
  problems: readonly string[];
  /** Usage of this request. */
  usage: Usage;
  searches: number;
  /** State of a search that the provider paused: send it again to get the rest. */
  rest?: unknown;
}

export interface WebLink {
  title: string;
  url: string;
}

/** Plain data. Messages and tools do not change once they were sent: a provider may cache what it derived from them. */
export interface ModelRequest {
  model: string;
  system: string;
  tools: readonly ToolSpec[];
  messages: readonly Message[];
  /** Thinking effort; turns thinking on. */
  effort?: Effort;
  /** `off`: no thinking. Default: the provider decides. */
  thinking?: "off";
  /** The asking agent, for scripts and traces. Never sent to a provider. */
  origin: RequestOrigin;
}

export interface RequestOrigin {
  agentId: string;
  agentType: string;
  /** Number of the request in this run of the agent, from 1. */
  turn: number;
  /** Number of the try of this request, from 1. */
  attempt: number;
  /** Present if the request is not a turn of the agent: `summary` asks for a line about its work. */
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
  /** The usage of the answer so far. It is charged if the answer remains incomplete. */
  | { type: "usage"; model: string; usage: Usage; searches?: number }
  /**
   * Nothing to show, but the answer grows: the input of a tool call arrives. The caller must not count this as a stall.
   */
  | { type: "alive" };

/** Pieces of an arriving answer that can be shown. */
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
  /** Pause that the provider asked for, if it did. */
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
