import { randomUUID } from "node:crypto";
import type { APIError } from "@anthropic-ai/sdk/core/error";
import type {
  MessageCreateParamsStreaming,
  MessageParam,
  Messages,
  RawContentBlockDelta,
  RawContentBlockStartEvent,
  RawMessageStreamEvent,
  Tool,
} from "@anthropic-ai/sdk/resources/messages/messages";
import { errorMessage, RetinueError } from "../errors.ts";
import type { StopReason } from "../events/event.ts";
import type { AssistantBlock, Message, ToolUseBlock, Usage } from "../message.ts";
import { noUsage } from "../message.ts";
import type { Model, ModelAnswer, ModelDelta, ModelErrorCode, ModelRequest } from "./model.ts";
import { ModelError } from "./model.ts";

export interface AnthropicOptions {
  /** Default: `ANTHROPIC_API_KEY`. A key wins over a token. */
  apiKey?: string;
  /** Default: `ANTHROPIC_AUTH_TOKEN`. */
  authToken?: string;
  /** Default: `ANTHROPIC_BASE_URL`, else Anthropic's own server. */
  baseURL?: string;
  /** The longest answer to ask for, in tokens. */
  maxTokens?: number;
}

/**
 * Claude, through the official client library, which is loaded with the first request. Of the library we use the
 * request and the raw events; retries, limits of time and the assembly of answers are ours.
 *
 * The body of a request is a pure function of what the agent sees, in the order in which the provider caches it. The
 * breakpoints lie where they never move (last tool, system) or outside the messages (the last one, which the provider
 * places itself), so that two requests of one agent share every byte up to the new messages.
 *
 * Throws `no_model` at once when there are no credentials.
 */
export function createAnthropic(options: AnthropicOptions = {}): Model {
  const account = accountOf(options, process.env);
  const maxTokens = options.maxTokens ?? 32_000;
  let library: Promise<Library> | undefined;

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelDelta, ModelAnswer> {
    signal.throwIfAborted();
    library ??= load(account);
    const { messages, isApiError } = await library;
    const { data: events, request_id } = await messages
      .create(bodyOf(request, maxTokens), { signal })
      .withResponse()
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw isApiError(error) ? refusal(error, request.model, account) : error;
      });
    const draft = new Draft();
    try {
      // Read to the end of the body, not only of the answer: then the connection serves the next request too.
      for await (const event of events) {
        signal.throwIfAborted();
        const delta = draft.take(event);
        if (delta === undefined) continue;
        yield delta;
        signal.throwIfAborted();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!draft.complete) throw interruption(error, isApiError);
    }
    signal.throwIfAborted();
    return draft.answer(request.model, request_id || randomId("req"));
  }

  return { provider: "anthropic", scripted: false, stream };
}

interface Account {
  credential: { apiKey: string } | { authToken: string };
  /** Where the credential was found, for people. */
  place: string;
  baseURL: string;
}

function accountOf(options: AnthropicOptions, env: NodeJS.ProcessEnv): Account {
  const baseURL = options.baseURL?.trim() || env["ANTHROPIC_BASE_URL"]?.trim() || ownServer;
  if (!URL.canParse(baseURL)) {
    throw new RetinueError(
      "invalid_config",
      `'${baseURL}' is no address for the Anthropic API. Correct ANTHROPIC_BASE_URL or the option baseURL.`,
    );
  }
  const places = [
    ["apiKey", "the option apiKey", options.apiKey],
    ["authToken", "the option authToken", options.authToken],
    ["apiKey", "ANTHROPIC_API_KEY", env["ANTHROPIC_API_KEY"]],
    ["authToken", "ANTHROPIC_AUTH_TOKEN", env["ANTHROPIC_AUTH_TOKEN"]],
  ] as const;
  for (const [kind, place, value] of places) {
    const secret = value?.trim() ?? "";
    if (secret === "") continue;
    // Checked here because the error of the header that cannot carry it would show it.
    if (!/^[\x21-\x7e]+$/.test(secret)) {
      throw new RetinueError("no_model", `${place} has characters that no key has. Copy it again.`);
    }
    const credential = kind === "apiKey" ? { apiKey: secret } : { authToken: secret };
    return { credential, place, baseURL };
  }
  throw new RetinueError(
    "no_model",
    "No credentials for the Anthropic API. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN for a bearer token).",
  );
}

const ownServer = "https://api.anthropic.com";

interface Library {
  messages: Messages;
  isApiError: (error: unknown) => error is APIError;
}

/**
 * The parts instead of the whole client, one `import` after the other: so bundlers drop the rest of the library, which
 * makes it load three times as fast.
 */
async function load({ credential, baseURL }: Account): Promise<Library> {
  const { BaseAnthropic } = await import("@anthropic-ai/sdk/client");
  const { Messages } = await import("@anthropic-ai/sdk/resources/messages/messages");
  const { APIError } = await import("@anthropic-ai/sdk/core/error");
  const client = new BaseAnthropic({
    ...credential,
    baseURL,
    maxRetries: 0,
    // The longest that a timer can wait: the caller's watchdog is the one that counts.
    timeout: 2 ** 31 - 1,
    // It would write raw text from the server to the terminal.
    logLevel: "off",
  });
  return {
    messages: new Messages(client),
    isApiError: (error): error is APIError => error instanceof APIError,
  };
}

const breakpoint = { type: "ephemeral" } as const;

function bodyOf(request: ModelRequest, maxTokens: number): MessageCreateParamsStreaming {
  const { model, tools, system, messages } = request;
  return {
    model,
    max_tokens: maxTokens,
    ...(tools.length === 0 ? {} : { tools: cachedTools(tools) }),
    ...(system === ""
      ? {}
      : { system: [{ type: "text", text: system, cache_control: breakpoint }] }),
    messages: messages.map(acceptable).filter(({ content }) => content.length > 0),
    cache_control: breakpoint,
    stream: true,
  };
}

function cachedTools(tools: ModelRequest["tools"]): Tool[] {
  const last = tools.length - 1;
  return tools.map(({ name, description, input_schema }, index) => ({
    name,
    description,
    input_schema: input_schema as Tool.InputSchema,
    ...(index === last ? { cache_control: breakpoint } : {}),
  }));
}

/** Without what the provider refuses: blank texts, and thinking that it did not sign (another model's). */
function acceptable({ role, content }: Message): MessageParam & { content: unknown[] } {
  const blocks = content.flatMap((block): unknown[] => {
    if (block.type === "text") return block.text.trim() === "" ? [] : [block];
    if (block.type !== "thinking") return [block];
    if (block.redacted !== undefined) return [{ type: "redacted_thinking", data: block.redacted }];
    return block.signature === undefined ? [] : [block];
  });
  return { role, content: blocks } as MessageParam & { content: unknown[] };
}

/** An answer that is arriving: raw events in, pieces to show out, at the end the whole. */
class Draft {
  readonly #blocks = new Map<number, AssistantBlock>();
  /** Block index → the input of a tool call so far. */
  readonly #inputs = new Map<number, string>();
  #id: string | undefined;
  #model: string | undefined;
  #stopReason: string | null = null;
  #usage: Usage = noUsage;
  complete = false;

  /** Events, blocks and deltas of unknown types are passed over: the protocol may grow. */
  take(event: RawMessageStreamEvent): ModelDelta | undefined {
    switch (event.type) {
      case "message_start":
        this.#id = event.message.id;
        this.#model = event.message.model;
        this.#count(event.message.usage);
        return undefined;
      case "content_block_start":
        return this.#open(event.index, event.content_block);
      case "content_block_delta":
        return this.#extend(event.index, event.delta);
      case "message_delta":
        this.#stopReason = event.delta.stop_reason;
        this.#count(event.usage);
        return undefined;
      case "message_stop":
        this.complete = true;
        return undefined;
      default:
        return undefined;
    }
  }

  answer(askedModel: string, requestId: string): ModelAnswer {
    if (!this.complete) {
      throw new ModelError("stream_broken", "The model's answer broke off before its end.");
    }
    const malformed: Record<string, string> = {};
    const content = [...this.#blocks].flatMap(([index, block]): AssistantBlock[] => {
      if (block.type === "text" && block.text === "") return [];
      if (block.type !== "tool_use") return [block];
      const raw = this.#inputs.get(index) ?? "";
      const input = raw.trim() === "" ? block.input : parsedInput(raw);
      if (input === undefined) malformed[block.id] = raw;
      return [{ ...block, input: input ?? {} }];
    });
    return {
      id: this.#id ?? randomId("msg"),
      requestId,
      model: this.#model ?? askedModel,
      message: { role: "assistant", content },
      stopReason: stopReasons.get(this.#stopReason ?? "") ?? "end_turn",
      usage: this.#usage,
      malformed,
    };
  }

  #open(index: number, block: RawContentBlockStartEvent["content_block"]): ModelDelta | undefined {
    switch (block.type) {
      case "text":
        this.#blocks.set(index, { type: "text", text: block.text });
        return block.text === "" ? undefined : { type: "text", text: block.text };
      case "thinking": {
        const signed = block.signature ? { signature: block.signature } : {};
        this.#blocks.set(index, { type: "thinking", thinking: block.thinking, ...signed });
        return block.thinking === "" ? undefined : { type: "thinking", text: block.thinking };
      }
      case "redacted_thinking":
        this.#blocks.set(index, { type: "thinking", thinking: "", redacted: block.data });
        return undefined;
      case "tool_use": {
        const { id, name, input } = block;
        this.#blocks.set(index, { type: "tool_use", id, name, input: record(input) ?? {} });
        return undefined;
      }
      default:
        return undefined;
    }
  }

  #extend(index: number, delta: RawContentBlockDelta): ModelDelta | undefined {
    const block = this.#blocks.get(index);
    if (delta.type === "text_delta" && block?.type === "text") {
      block.text += delta.text;
      return { type: "text", text: delta.text };
    }
    if (delta.type === "thinking_delta" && block?.type === "thinking") {
      block.thinking += delta.thinking;
      return { type: "thinking", text: delta.thinking };
    }
    if (delta.type === "signature_delta" && block?.type === "thinking") {
      block.signature = delta.signature;
      return undefined;
    }
    if (delta.type !== "input_json_delta" || block?.type !== "tool_use") return undefined;
    this.#inputs.set(index, (this.#inputs.get(index) ?? "") + delta.partial_json);
    // Nothing to show, but a sign of life: a long file is written for minutes, and who waits must not call that a stall.
    return { type: "text", text: "" };
  }

  /** Numbers are totals so far; later ones replace earlier ones, and what is missing stays. */
  #count(usage: Partial<Record<UsageField, number | null>> | undefined): void {
    this.#usage = {
      input: usage?.input_tokens ?? this.#usage.input,
      output: usage?.output_tokens ?? this.#usage.output,
      cacheRead: usage?.cache_read_input_tokens ?? this.#usage.cacheRead,
      cacheWrite: usage?.cache_creation_input_tokens ?? this.#usage.cacheWrite,
    };
  }
}

type UsageField =
  | "input_tokens"
  | "output_tokens"
  | "cache_read_input_tokens"
  | "cache_creation_input_tokens";

/** A turn that was paused, or that filled the context window, is unfinished, like one that met the length limit. */
const stopReasons: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ["end_turn", "end_turn"],
  ["tool_use", "tool_use"],
  ["max_tokens", "max_tokens"],
  ["stop_sequence", "stop_sequence"],
  ["refusal", "refusal"],
  ["pause_turn", "max_tokens"],
  ["model_context_window_exceeded", "max_tokens"],
]);

function parsedInput(raw: string): ToolUseBlock["input"] | undefined {
  try {
    return record(JSON.parse(raw));
  } catch {
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Why there was no answer at all. */
function refusal(error: APIError, model: string, { place, baseURL }: Account): ModelError {
  const { status } = error;
  const said = error.apiMessage ?? error.message;
  const retryAfterMs = retryAfter(error.headers);
  const fault = (code: ModelErrorCode, message: string): ModelError =>
    new ModelError(code, message, {
      cause: error,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  if (status === undefined || status === 408) {
    return fault("connection", `No answer from ${baseURL}: ${deepestMessage(error)}.`);
  }
  if (status === 429) return fault("rate_limited", `The Anthropic API limits the rate: ${said}`);
  if (status === 529) return fault("overloaded", `The Anthropic API is overloaded: ${said}`);
  // 409: somebody else holds what the request needs; it passes, as the library's own policy has it.
  if (status >= 500 || status === 409) {
    return fault("server_error", `The Anthropic API failed (${status}): ${said}`);
  }
  if (status === 401 || status === 403) {
    return fault(
      "unauthorized",
      `The Anthropic API refused the credentials (${status}): ${said}. Check ${place}, or set ANTHROPIC_API_KEY to a key that may use ${model}.`,
    );
  }
  if (status === 404) {
    return fault(
      "invalid_request",
      `The Anthropic API at ${baseURL} has no model '${model}' (404): ${said}. Check the model's name and ANTHROPIC_BASE_URL.`,
    );
  }
  return fault("invalid_request", `The Anthropic API refused the request (${status}): ${said}`);
}

/** Why an answer broke off. */
function interruption(error: unknown, isApiError: Library["isApiError"]): ModelError {
  if (!isApiError(error)) {
    const message = `The model's answer broke off: ${deepestMessage(error)}.`;
    return new ModelError("stream_broken", message, { cause: error });
  }
  const code = streamCodes.get(error.type ?? "") ?? "stream_broken";
  const said = error.apiMessage ?? error.message;
  return new ModelError(code, `The model's answer broke off: ${said}`, { cause: error });
}

const streamCodes: ReadonlyMap<string, ModelErrorCode> = new Map<string, ModelErrorCode>([
  ["overloaded_error", "overloaded"],
  ["rate_limit_error", "rate_limited"],
  ["api_error", "server_error"],
]);

/** `retry-after-ms`, else `retry-after` in seconds or as a date. */
function retryAfter(headers: Headers | undefined): number | undefined {
  const milliseconds = headers?.get("retry-after-ms") ?? "";
  if (/^\d+(\.\d+)?$/.test(milliseconds)) return Math.round(Number(milliseconds));
  const text = headers?.get("retry-after") ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** What the network said, which the library wraps in "Connection error." and "fetch failed". */
function deepestMessage(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  return errorMessage(deepest).replace(/\.$/, "");
}

function randomId(prefix: "msg" | "req"): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}
