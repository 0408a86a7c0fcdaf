import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { z } from "zod";
import { RetinueError, errorMessage, type ErrorCode } from "../errors.ts";
import type { AgentEvent } from "../events/event.ts";
import type { Lease } from "../transcript/lease.ts";
import { isPrivate } from "./private-socket.ts";
import {
  answerSchema,
  helloSchema,
  LineReader,
  longestAnswer,
  type ControlAnswer,
  type ControlMethod,
  type ControlRequest,
} from "./protocol.ts";

type ParamsOf<Method extends ControlMethod> = Extract<ControlRequest, { method: Method }>["params"];

/** What a watcher is told besides events: how many it was too slow for. */
export type Watched = { kind: "event"; event: AgentEvent } | { kind: "dropped"; count: number };

const longestGreetingMs = 5000;

/** The other end of a session's socket. Whatever goes wrong with it is a `RetinueError` that says what to do. */
export class ControlClient {
  readonly #socket: Socket;
  readonly #lease: Lease;
  readonly #waiting = new Map<number, (answer: ControlAnswer | null) => void>();
  #last = 0;
  #gone = false;

  private constructor(socket: Socket, lease: Lease) {
    this.#socket = socket;
    this.#lease = lease;
    const reader = new LineReader({
      longest: longestAnswer,
      onLine: (line) => this.#take(line),
      onTooLong: () => socket.destroy(),
    });
    socket.on("data", (chunk: Buffer) => reader.push(chunk));
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      this.#gone = true;
      for (const tell of [...this.#waiting.values()]) tell(null);
    });
  }

  /** Connects and makes sure that somebody answers. Throws `unreachable`, also when `signal` aborts before. */
  static async open(
    lease: Lease & { socket: string },
    signal?: AbortSignal,
  ): Promise<ControlClient> {
    const socket = await dial(lease);
    const client = new ControlClient(socket, lease);
    const giveUp = (): unknown => socket.destroy();
    const timer = setTimeout(giveUp, longestGreetingMs);
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      helloSchema.parse(await client.call("hello", {}));
      return client;
    } catch (error) {
      socket.destroy();
      if (error instanceof RetinueError && error.code !== "not_running") throw error;
      throw new RetinueError(
        "unreachable",
        `Process ${lease.pid} owns the session and does not answer. Try again; if it hangs, end it with 'kill -9 ${lease.pid}'.`,
        { cause: error },
      );
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    }
  }

  /** Throws what the other side threw, and `not_running` when it goes away before it has answered. */
  async call<Method extends ControlMethod>(
    method: Method,
    params: ParamsOf<Method>,
  ): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<ControlAnswer | null>();
    const id = this.#send(method, params, resolve);
    try {
      return resultOf(await promise, this.#lease);
    } finally {
      this.#waiting.delete(id);
    }
  }

  /**
   * Rows of an agent and everything below it, as they are now, and what happens to them until the session is closed. Throws
   * like `call`, also while it is read.
   */
  async watch(id: string): Promise<{ rows: unknown; events: AsyncGenerator<Watched> }> {
    const lines = new Inflow<ControlAnswer | null>();
    const request = this.#send("events", { id }, (answer) => lines.push(answer));
    const rows = resultOf(await lines.next(), this.#lease);
    const lease = this.#lease;
    const forget = (): boolean => this.#waiting.delete(request);
    async function* events(): AsyncGenerator<Watched> {
      try {
        for (;;) {
          const line = await lines.next();
          if (line !== null && "done" in line) return;
          if (line !== null && "dropped" in line) yield { kind: "dropped", count: line.dropped };
          else if (line !== null && "event" in line) yield { kind: "event", event: line.event };
          else resultOf(line, lease);
        }
      } finally {
        forget();
      }
    }
    return { rows, events: events() };
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #send(
    method: ControlMethod,
    params: unknown,
    tell: (answer: ControlAnswer | null) => void,
  ): number {
    const id = (this.#last += 1);
    this.#waiting.set(id, tell);
    if (this.#gone) tell(null);
    else
      this.#socket.write(`${JSON.stringify({ id, method, params, token: this.#lease.token })}\n`);
    return id;
  }

  #take(line: string): void {
    const answer = parseAnswer(line);
    if (answer === undefined) return void this.#socket.destroy();
    if (typeof answer.id === "number") this.#waiting.get(answer.id)?.(answer);
    else for (const tell of [...this.#waiting.values()]) tell(answer);
  }
}

function dial(lease: Lease & { socket: string }): Promise<Socket> {
  const failed = (reason: string): RetinueError =>
    new RetinueError(
      "unreachable",
      `The socket of process ${lease.pid}, ${lease.socket}, cannot be used: ${reason}. Stop the process with 'kill ${lease.pid}' if you must.`,
    );
  if (!isPrivate(dirname(lease.socket)))
    return Promise.reject(failed("its directory is not private to you"));
  return new Promise((resolve, reject) => {
    const socket = connect(lease.socket);
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error) => reject(failed(errorMessage(error))));
  });
}

function parseAnswer(line: string): ControlAnswer | undefined {
  try {
    return answerSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function resultOf(answer: ControlAnswer | null, { pid }: Lease): unknown {
  if (answer === null) {
    throw new RetinueError(
      "not_running",
      `Process ${pid} went away before it answered. 'retinue ps -a' shows how its agents stand; 'retinue resume' continues an interrupted one.`,
    );
  }
  if ("error" in answer) {
    throw new RetinueError(
      errorCode.catch("unreachable").parse(answer.error.code),
      answer.error.message,
    );
  }
  return "result" in answer ? answer.result : undefined;
}

/** All of them, so that a new one is not forgotten here. What another version throws besides is `unreachable`. */
const errorCodes: Record<ErrorCode, ErrorCode> = {
  invalid_config: "invalid_config",
  invalid_request: "invalid_request",
  invalid_scenario: "invalid_scenario",
  unknown_agent_type: "unknown_agent_type",
  unknown_task: "unknown_task",
  ambiguous_task: "ambiguous_task",
  agent_busy: "agent_busy",
  agent_ended: "agent_ended",
  session_busy: "session_busy",
  not_running: "not_running",
  unreachable: "unreachable",
  limit_reached: "limit_reached",
  no_tools: "no_tools",
  no_model: "no_model",
  unsupported: "unsupported",
  closed: "closed",
  storage: "storage",
};
const errorCode: z.ZodType<ErrorCode> = z.enum(errorCodes);

/** Lines that wait to be read. */
class Inflow<Item> {
  readonly #items: Item[] = [];
  #reader: ((item: Item) => void) | undefined;

  push(item: Item): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#items.push(item);
    else reader(item);
  }

  next(): Promise<Item> {
    if (this.#items.length > 0) return Promise.resolve(this.#items.shift() as Item);
    return new Promise((resolve) => (this.#reader = resolve));
  }
}
