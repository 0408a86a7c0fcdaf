import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { messagesRequestSchema, type MessagesRequest } from "./messages-request.ts";
import { replyTo, speakerOf, type Reply, type Speaker } from "./script.ts";

/** One request that was answered. Times are those of `performance.now()`. */
export interface Exchange {
  speaker: Speaker;
  request: MessagesRequest;
  arrivedAt: number;
  answeredAt: number;
}

/**
 * A server on loopback that speaks the streaming Messages API and follows the script. It only answers and takes notes;
 * whether a run counts is decided afterwards, so that checking costs the client no time.
 */
export class FakeModel implements AsyncDisposable {
  exchanges: Exchange[] = [];
  /** Requests that could not be answered, as messages for people. */
  refusals: string[] = [];
  readonly #server: Server;
  readonly #latencyMs: number;
  readonly #directory: string;

  private constructor(server: Server, options: FakeModelOptions) {
    this.#server = server;
    this.#latencyMs = options.latencyMs;
    this.#directory = options.directory;
  }

  static async start(options: FakeModelOptions): Promise<FakeModel> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const self = new FakeModel(server, options);
    server.on("request", (incoming, response) => {
      void self.#serve(incoming, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return self;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets all requests, before the next run. */
  reset(): void {
    this.exchanges = [];
    this.refusals = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeServer(this.#server);
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedAt = performance.now();
    try {
      const request = messagesRequestSchema.parse(JSON.parse(await bodyOf(incoming)));
      const body = eventStream(replyTo(request, this.#directory), request.model);
      await setTimeout(Math.max(0, this.#latencyMs - (performance.now() - arrivedAt)));
      response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
      const answeredAt = performance.now();
      this.exchanges.push({ speaker: speakerOf(request), request, arrivedAt, answeredAt });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.refusals.push(`${incoming.method} ${incoming.url}: ${message}`);
      response.writeHead(400, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } }),
      );
    }
  }
}

export interface FakeModelOptions {
  /** Milliseconds from the arrival of a request to its answer. */
  latencyMs: number;
  /** The directory of the files that children are told to read. */
  directory: string;
}

/** The text of a request. */
export async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

let lastId = 0;

function newId(prefix: string): string {
  lastId += 1;
  return `${prefix}_bench${String(lastId).padStart(8, "0")}`;
}

/** A reply as the streaming Messages API sends it. */
export function eventStream(reply: Reply, model: string): string {
  const usage = { input_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const stop_reason = "text" in reply ? "end_turn" : "tool_use";
  const events = [
    { type: "message_start", message },
    ...blocksOf(reply).flatMap(({ start, delta }, index) => [
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 20 },
    },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function blocksOf(reply: Reply): { start: object; delta: object }[] {
  if ("text" in reply) {
    const { text } = reply;
    return [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text } }];
  }
  return reply.calls.map(({ name, input }) => ({
    start: { type: "tool_use", id: newId("toolu"), name, input: {} },
    delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
  }));
}

/** Closes a server with all its open connections. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
