import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { errorMessage } from "../../contract/errors.ts";
import type { AssistantBlock, Message, Usage } from "../../contract/message.ts";
import { textOf } from "../../contract/message.ts";
import type { ModelRequest } from "../model.ts";
import { piecesOfText } from "../rehearsal/paced-deltas.ts";
import type { Fault, Scenario } from "../rehearsal/scenario.ts";
import { ScriptPosition } from "../rehearsal/script-position.ts";
import { newProviderId } from "../provider-id.ts";
import { scriptedReply } from "../rehearsal/scripted-reply.ts";
import type { ScriptedRequest } from "../rehearsal/situation.ts";

/** A server on loopback that speaks the Messages API. Its `Player` decides the answers. */
export class AnthropicServer implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(player: Player): Promise<AnthropicServer> {
    const server = createServer();
    const self = new AnthropicServer(server);
    server.on("request", (incoming, response) => {
      void self.#serve(incoming, response, player);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return self;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse, player: Player): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString("utf8");
    const { promise: ended, resolve } = Promise.withResolvers<RequestEnd>();
    const request: ReceivedRequest = {
      number: this.requests.length + 1,
      path: incoming.url ?? "",
      headers: incoming.headers,
      raw,
      body: JSON.parse(raw) as RequestBody,
      ended,
    };
    this.requests.push(request);
    const play = playOf(player, request);
    const cuts = play.kind === "drop" || (play.kind === "stream" && play.end === "cut");
    response.on("close", () => {
      if (response.writableFinished) resolve("answered");
      else resolve(cuts ? "cut" : "closed");
    });
    await perform(play, response);
  }
}

/**
 * Plays the answer to a request. A script without an answer is the test's mistake: the client is notified and does not
 * retry.
 */
function playOf(player: Player, request: ReceivedRequest): Play {
  try {
    return player(request);
  } catch (error) {
    const refused = { type: "invalid_request_error", message: errorMessage(error) };
    return { kind: "refuse", status: 400, error: refused };
  }
}

export interface ReceivedRequest {
  /** Number from 1, in the order of arrival. */
  readonly number: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, byte for byte. */
  readonly raw: string;
  readonly body: RequestBody;
  /** `closed`: the client hung up before it had the whole answer. `cut`: the server did. */
  readonly ended: Promise<RequestEnd>;
}

type RequestEnd = "answered" | "closed" | "cut";

export interface RequestBody {
  model: string;
  max_tokens: number;
  tools?: Record<string, unknown>[];
  system?: { type: "text"; text: string; cache_control?: unknown }[];
  messages: Message[];
  cache_control?: unknown;
}

export type Player = (request: ReceivedRequest) => Play;

/** The answer to one request, as plain data. */
export type Play =
  | { kind: "refuse"; status: number; error: ApiError; headers?: Record<string, string> }
  /** The connection ends before there is an answer. */
  | { kind: "drop" }
  /** A response that is no answer, such as a proxy's login page. */
  | { kind: "page"; type: string; body: string }
  | {
      kind: "stream";
      events: readonly WireEvent[];
      /** `cut`: in the middle of the event after the last one. `stall`: nothing more, and never an end. */
      end: "done" | "cut" | "stall";
      /** Bytes per chunk; default: an event per chunk. */
      chunk?: number;
      headers?: Record<string, string>;
    };

export interface ApiError {
  type: string;
  message: string;
}

export type WireEvent = { type: string } & Record<string, unknown>;

/** Faults that can occur beside a scenario's own. */
export type Trouble = Fault["kind"] | "error-event" | "drop";

/**
 * Answers from a scenario. The server does not know the asking agent: conversations are told apart by their first
 * message, so agents need different tasks. `trouble` is the fault of a request that the scenario would have answered.
 */
export function scenarioPlayer(
  scenario: Scenario,
  options: { chunk?: number; trouble?: (request: ReceivedRequest) => Trouble | undefined } = {},
): Player {
  const positions = new Map<string, ScriptPosition>();
  return (request) => {
    const scripted = scriptedRequest(request.body);
    const key = JSON.stringify(scripted.messages[0]);
    const position = positions.get(key) ?? new ScriptPosition(scenario, scripted);
    positions.set(key, position);
    const { turn, scope } = position.claim(scripted);
    const fault = position.takeFault(turn);
    const injected = options.trouble?.(request);
    const trouble = injected ?? fault?.kind;
    if (trouble === "drop") return { kind: "drop" };
    if (trouble !== undefined && trouble in refusals) {
      const play = refusals[trouble as keyof typeof refusals];
      const seconds = injected === undefined ? fault?.retryAfter : 0;
      const headers = seconds === undefined ? {} : { "retry-after": String(seconds) };
      return { kind: "refuse", ...play, headers };
    }
    const spoilt = trouble === "malformed-call";
    const { content, malformed } = scriptedReply(turn.reply, scope, { spoilt });
    const calls = content.some((block) => block.type === "tool_use");
    const stop = turn.stop ?? (calls ? "tool_use" : "end_turn");
    const events = answerEvents(content, { stop, malformed, usage: turn.usage });
    const chunk = options.chunk === undefined ? {} : { chunk: options.chunk };
    switch (trouble) {
      case "stall":
        return { kind: "stream", events: upToDelta(events, 1), end: "stall", ...chunk };
      case "broken-stream":
        return { kind: "stream", events: halfOf(events), end: "cut", ...chunk };
      case "error-event":
        return { kind: "stream", events: [...halfOf(events), overload], end: "done", ...chunk };
      default:
        position.answered({ malformed: Object.keys(malformed).length > 0 });
        return { kind: "stream", events, end: "done", ...chunk };
    }
  };
}

/** The events of an answer, as the provider streams them. */
export function answerEvents(
  content: readonly (AssistantBlock | WireEvent)[],
  options: {
    stop?: string | null;
    model?: string;
    usage?: Usage | undefined;
    /** Web searches that the provider made. */
    searches?: number;
    /** Call id → text that is sent instead of its input. */
    malformed?: Readonly<Record<string, string>>;
  } = {},
): WireEvent[] {
  const { input, output, cacheRead, cacheWrite } = options.usage ?? {
    input: 1,
    output: 1,
    cacheRead: 0,
    cacheWrite: 0,
  };
  const usage = {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
  };
  const message = {
    id: newProviderId("msg"),
    type: "message",
    role: "assistant",
    model: options.model ?? "claude-served",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    // The provider counts output while it writes; only the last number is the total.
    usage: { ...usage, output_tokens: 1 },
  };
  return [
    { type: "message_start", message },
    { type: "ping" },
    ...content.flatMap((block, index) => blockEvents(block, index, options.malformed ?? {})),
    {
      type: "message_delta",
      delta: { stop_reason: options.stop ?? null, stop_sequence: null },
      usage: {
        output_tokens: output,
        ...(options.searches === undefined
          ? {}
          : { server_tool_use: { web_search_requests: options.searches } }),
      },
    },
    { type: "message_stop" },
  ];
}

function blockEvents(
  block: AssistantBlock | WireEvent,
  index: number,
  malformed: Readonly<Record<string, string>>,
): WireEvent[] {
  const { start, deltas } = wireBlock(block as AssistantBlock, malformed);
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function wireBlock(
  block: AssistantBlock,
  malformed: Readonly<Record<string, string>>,
): { start: object; deltas: object[] } {
  switch (block.type) {
    case "text":
      return {
        start: { type: "text", text: "" },
        deltas: words(block.text).map((text) => ({ type: "text_delta", text })),
      };
    case "thinking":
      return {
        start: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          ...words(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block.signature ?? "signed" },
        ],
      };
    case "tool_use": {
      const { id, name, input } = block;
      const json = malformed[id] ?? (Object.keys(input).length === 0 ? "" : JSON.stringify(input));
      return {
        start: { type: "tool_use", id, name, input: {} },
        deltas: ["", ...(json.match(/[^]{1,5}/g) ?? [])].map((partial_json) => ({
          type: "input_json_delta",
          partial_json,
        })),
      };
    }
    default:
      // A block that arrives whole: redacted thinking, or an unknown type.
      return { start: block, deltas: [{ type: "novel_delta", novel: "?" }] };
  }
}

function words(text: string): string[] {
  return piecesOfText("text", text).map(({ delta }) =>
    delta !== undefined && "text" in delta ? delta.text : "",
  );
}

const refusals = {
  "rate-limit": { status: 429, error: { type: "rate_limit_error", message: "Too fast" } },
  overload: { status: 529, error: { type: "overloaded_error", message: "Overloaded" } },
  "server-error": { status: 500, error: { type: "api_error", message: "Internal error" } },
} as const;

const overload: WireEvent = {
  type: "error",
  error: { type: "overloaded_error", message: "Overloaded" },
};

function halfOf(events: readonly WireEvent[]): WireEvent[] {
  return upToDelta(events, Math.ceil(events.filter(isDelta).length / 2));
}

/** Events up to the nth piece of a block, without the block's end. */
function upToDelta(events: readonly WireEvent[], number: number): WireEvent[] {
  const deltas = events.flatMap((event, index) => (isDelta(event) ? [index] : []));
  return events.slice(0, (deltas[number - 1] ?? 0) + 1);
}

function isDelta(event: WireEvent): boolean {
  return event.type === "content_block_delta";
}

function scriptedRequest({ system, messages }: RequestBody): ScriptedRequest {
  const origin: ModelRequest["origin"] = { agentId: "", agentType: "", turn: 0, attempt: 0 };
  return { system: textOf(system ?? []), messages, origin };
}

async function perform(play: Play, response: ServerResponse): Promise<void> {
  const { socket } = response;
  socket?.setNoDelay(true);
  if (play.kind === "drop") {
    socket?.destroy();
    return;
  }
  if (play.kind === "page") {
    response.writeHead(200, { "content-type": play.type }).end(play.body);
    return;
  }
  const headers = { "request-id": newProviderId("req"), ...play.headers };
  if (play.kind === "refuse") {
    response.writeHead(play.status, { ...headers, "content-type": "application/json" });
    response.end(JSON.stringify({ type: "error", error: play.error }));
    return;
  }
  response.writeHead(200, { ...headers, "content-type": "text/event-stream; charset=utf-8" });
  for (const event of play.events) {
    await send(Buffer.from(sse(event)), play.chunk, response);
    if (response.destroyed) return;
  }
  if (play.end === "done") response.end();
  if (play.end !== "cut") return;
  await send(
    Buffer.from('event: content_block_delta\ndata: {"type":"content_bl'),
    undefined,
    response,
  );
  socket?.destroy();
}

function sse(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

async function send(
  bytes: Buffer,
  chunk: number | undefined,
  response: ServerResponse,
): Promise<void> {
  const size = chunk ?? bytes.length;
  for (let start = 0; start < bytes.length; start += size) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(start, start + size), () => resolve());
    });
    if (chunk !== undefined) await setImmediate();
  }
}
