import type { Socket } from "node:net";
import { errorMessage, RetinueError } from "../contract/errors.ts";
import { isEqual } from "../platform/is-equal.ts";
import { LineReader } from "../transcript/lines/line-reader.ts";
import { newChallenge, signOf } from "../processes/sign.ts";
import type { Speaker } from "../processes/speaker.ts";
import type { ControlPort } from "./control-port.ts";
import { dispatch } from "./dispatch.ts";
import { openFeed } from "./event-feed.ts";
import { mustSpeak } from "./must-speak.ts";
import {
  longestRequest,
  requestSchema,
  speaksAsUser,
  type ControlAnswer,
  type ControlRequest,
  type RequestId,
} from "./protocol.ts";
import type { Clock } from "../platform/clock.ts";

export interface ConnectionOptions {
  token: string;
  clock: Clock;
  /** The most bytes that may be queued for a client. */
  mostUnread: number;
}

const mostPending = 100;
/** Time after which a client that does not read is disconnected. */
const patienceMs = 30_000;
const lastWordsMs = 1000;
const longestSigningMs = 5000;

/** One client. A client's bad input or unread output never throws and never makes others wait. */
export class Connection {
  readonly #socket: Socket;
  readonly #port: ControlPort;
  readonly #options: ConnectionOptions;
  /** Requests that still wait for a sign. */
  readonly #unsigned = new Map<RequestId, () => void>();
  readonly #pending = new Set<Promise<void>>();

  constructor(socket: Socket, port: ControlPort, options: ConnectionOptions) {
    this.#socket = socket;
    this.#port = port;
    this.#options = options;
    socket.unref();
    const reader = new LineReader({
      longest: longestRequest,
      onLine: (line) => this.#take(line),
      onTooLong: () => {
        this.#refuse(null, "invalid_request", "The request is too long. Send a shorter one.");
        socket.end();
      },
    });
    socket.on("data", (chunk: Buffer) => reader.push(chunk));
    socket.on("error", () => socket.destroy());
  }

  /** Closes the connection after the pending answers were sent. */
  async end(): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.#socket.once("close", () => resolve());
    if (this.#socket.destroyed) return;
    const timer = setTimeout(() => this.#socket.destroy(), lastWordsMs);
    await Promise.race([Promise.allSettled(this.#pending), over]);
    this.#socket.end(() => this.#socket.destroy());
    await over;
    clearTimeout(timer);
  }

  #take(line: string): void {
    const request = this.#read(line);
    if (request === undefined) return;
    if (this.#pending.size >= mostPending) {
      this.#refuse(
        request.id,
        "limit_reached",
        "Too many requests are open on this connection. Wait for an answer first.",
      );
      return;
    }
    if (request.method === "signed") return this.#unsigned.get(request.params.of)?.();
    const work = this.#handle(request, line);
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }

  /** Parses a request; undefined if it is invalid, and then the client was notified. */
  #read(line: string): ControlRequest | undefined {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#refuse(
        null,
        "invalid_request",
        "The line is not a JSON object. Send one JSON object a line.",
      );
      return undefined;
    }
    const { id, token } = (value ?? {}) as { id?: unknown; token?: unknown };
    const known = typeof id === "number" || typeof id === "string" ? id : null;
    if (typeof token !== "string" || !isEqual(token, this.#options.token)) {
      this.#refuse(
        known,
        "invalid_request",
        "The token is not that of the session's lease. Read the lease again.",
      );
      this.#socket.end();
      return undefined;
    }
    const parsed = requestSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const problem = `${issue?.path.join(".") || "request"}: ${issue?.message}`;
    this.#refuse(known, "invalid_request", `The request is not valid: ${problem}.`);
    return undefined;
  }

  /** Handles a request. Never rejects. */
  async #handle(
    request: Exclude<ControlRequest, { method: "signed" }>,
    line: string,
  ): Promise<void> {
    try {
      if (speaksAsUser.has(request.method))
        await mustSpeak(request.method, await this.#speakerOf(request, line), this.#port);
      if (request.method === "events") await this.#stream(request.id, request.params.id);
      else this.#write({ id: request.id, result: await dispatch(request, this.#port) });
    } catch (error) {
      const code = error instanceof RetinueError ? error.code : "failed";
      this.#refuse(request.id, code, errorMessage(error));
    }
  }

  /** Sends the client a challenge, and waits a limited time for its sign. */
  async #speakerOf({ id, pid }: ControlRequest, line: string): Promise<Speaker | null> {
    if (pid === undefined) return null;
    const challenge = newChallenge();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, longestSigningMs).unref();
    this.#unsigned.set(id, resolve);
    this.#write({ id, challenge });
    await promise;
    clearTimeout(timer);
    this.#unsigned.delete(id);
    return { pid, sign: signOf(challenge, line) };
  }

  async #stream(id: RequestId, agentId: string | undefined): Promise<void> {
    if (agentId !== undefined && this.#port.get(agentId) === undefined)
      throw new RetinueError("unknown_task", `unknown task_id: ${agentId}`);
    const { rows, stream, concerns } = openFeed(this.#port, agentId);
    const end = (): void => stream.end();
    this.#socket.once("close", end);
    this.#write({ id, result: rows });
    let dropped = 0;
    for await (const event of stream) {
      if (this.#socket.destroyed) return;
      if (stream.dropped > dropped) this.#write({ id, dropped: (dropped = stream.dropped) });
      if (concerns(event) && !this.#write({ id, event })) await this.#drained();
    }
    this.#socket.off("close", end);
    this.#write({ id, done: true });
  }

  /** Resolves when the client has read its output. A client that does not read is disconnected. */
  async #drained(): Promise<void> {
    const socket = this.#socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    const giveUp = (): void => void socket.destroy();
    const cancel = this.#options.clock.schedule(giveUp, patienceMs, { ref: false });
    socket.once("drain", resolve).once("close", resolve);
    if (!socket.destroyed) await promise;
    socket.off("drain", resolve).off("close", resolve);
    cancel();
  }

  #refuse(id: RequestId | null, code: string, message: string): void {
    this.#write({ id, error: { code, message } });
  }

  /** Writes a message; false if the client is slow. */
  #write(message: ControlAnswer): boolean {
    if (!this.#socket.writable) return true;
    if (this.#socket.writableLength > this.#options.mostUnread) this.#socket.destroy();
    return this.#socket.write(`${JSON.stringify(message)}\n`);
  }
}
