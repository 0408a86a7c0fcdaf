import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { RetinueError, errorMessage } from "../contract/errors.ts";
import type { AgentEvent } from "../events/event.ts";
import { isPrivate } from "../platform/private-socket.ts";
import { isGone } from "../processes/process-identity.ts";
import type { Lease } from "../transcript/lease/lease.ts";
import { ControlLine, resultOf, type ParamsOf } from "./control-line.ts";
import { helloSchema, type ControlAnswer, type ControlMethod } from "./protocol.ts";

/** An item for a watcher: an event, or the number of events that it was too slow for. */
export type Watched = { kind: "event"; event: AgentEvent } | { kind: "dropped"; count: number };

const longestGreetingMs = 5000;

/** The client end of a session's socket. Every error is a `RetinueError` with a remedy. */
export class ControlClient {
  readonly #line: ControlLine;
  readonly #lease: Lease;

  private constructor(line: ControlLine, lease: Lease) {
    this.#line = line;
    this.#lease = lease;
  }

  /** Connects and checks that the session answers. Throws `unreachable`, also if `signal` aborts before. */
  static async open(
    lease: Lease & { socket: string },
    signal?: AbortSignal,
  ): Promise<ControlClient> {
    const line = new ControlLine(await dial(lease), lease);
    const giveUp = (): void => line.close();
    const timer = setTimeout(giveUp, longestGreetingMs);
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      helloSchema.parse(await line.call("hello", {}));
      return new ControlClient(line, lease);
    } catch (error) {
      line.close();
      if (error instanceof RetinueError && error.code !== "not_running") throw error;
      throw new RetinueError(
        "unreachable",
        `Process ${lease.pid} owns the session and does not answer. Try again; if it hangs, end it with 'kill -9 ${lease.pid}', and if it is suspended, continue it with 'kill -CONT ${lease.pid}'.`,
        { cause: error },
      );
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    }
  }

  /**
   * Sends a request. Throws the other side's error, and `not_running` if the other side closes before it has answered.
   */
  async call<Method extends ControlMethod>(
    method: Method,
    params: ParamsOf<Method>,
  ): Promise<unknown> {
    return this.#line.call(method, params);
  }

  /**
   * Current rows of an agent and its descendants, and their events until the session is closed. Throws like `call`,
   * also while it is read.
   */
  async watch(id: string): Promise<{ rows: unknown; events: AsyncGenerator<Watched> }> {
    const lines = new LineQueue<ControlAnswer | null>();
    const request = this.#line.send("events", { id }, (answer) => lines.push(answer));
    const rows = resultOf(await lines.next(), this.#lease);
    const lease = this.#lease;
    const forget = (): void => this.#line.forget(request);
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
    this.#line.close();
  }
}

function dial(lease: Lease & { socket: string }): Promise<Socket> {
  const remedy =
    isGone(lease) === "unknown"
      ? `The process runs on ${lease.host}, on another machine or in another container: use a terminal there.`
      : `Stop the process with 'kill ${lease.pid}' if you must.`;
  const failed = (reason: string): RetinueError =>
    new RetinueError(
      "unreachable",
      `The socket of process ${lease.pid}, ${lease.socket}, cannot be used: ${reason}. ${remedy}`,
    );
  if (!isPrivate(dirname(lease.socket)))
    return Promise.reject(failed("its directory is not private to you"));
  return new Promise((resolve, reject) => {
    const socket = connect(lease.socket);
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error) => reject(failed(errorMessage(error))));
  });
}

/** A queue of lines to be read. */
class LineQueue<Item> {
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
