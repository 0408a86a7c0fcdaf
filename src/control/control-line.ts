import type { Socket } from "node:net";
import { z } from "zod";
import { RetinueError, type ErrorCode } from "../contract/errors.ts";
import { LineReader } from "../transcript/lines/line-reader.ts";
import { showing, signOf } from "../processes/sign.ts";
import type { Lease } from "../transcript/lease/lease.ts";
import {
  answerSchema,
  longestAnswer,
  speaksAsUser,
  type ControlAnswer,
  type ControlMethod,
  type ControlRequest,
  type RequestId,
} from "./protocol.ts";

export type ParamsOf<Method extends ControlMethod> = Extract<
  ControlRequest,
  { method: Method }
>["params"];

/** One connection to a session's process: sends requests and matches answers to them. */
export class ControlLine {
  readonly #socket: Socket;
  readonly #lease: Lease;
  readonly #waiting = new Map<number, (answer: ControlAnswer | null) => void>();
  /** Lines that speak as the user, and the promises of their end. */
  readonly #spoken = new Map<number, { line: string; ended: PromiseWithResolvers<void> }>();
  #last = 0;
  #gone = false;

  constructor(socket: Socket, lease: Lease) {
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

  /**
   * Sends a request. Throws the other side's error, and `not_running` if the other side closes before it has answered.
   */
  async call<Method extends ControlMethod>(
    method: Method,
    params: ParamsOf<Method>,
  ): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<ControlAnswer | null>();
    const id = this.send(method, params, resolve);
    try {
      return resultOf(await promise, this.#lease);
    } finally {
      this.forget(id);
    }
  }

  /** Sends a request. `tell` gets every answer until it is removed; `null`: the other side is gone. */
  send(
    method: ControlMethod,
    params: unknown,
    tell: (answer: ControlAnswer | null) => void,
  ): number {
    const id = (this.#last += 1);
    const speaks = speaksAsUser.has(method);
    const { token } = this.#lease;
    const line = JSON.stringify({ id, method, params, token, ...(speaks && { pid: process.pid }) });
    this.#waiting.set(id, tell);
    if (speaks) this.#spoken.set(id, { line, ended: Promise.withResolvers() });
    if (this.#gone) tell(null);
    else this.#socket.write(`${line}\n`);
    return id;
  }

  forget(id: number): void {
    this.#waiting.delete(id);
    this.#spoken.get(id)?.ended.resolve();
    this.#spoken.delete(id);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(line: string): void {
    const answer = parseAnswer(line);
    if (answer === undefined) return void this.#socket.destroy();
    if ("challenge" in answer) void this.#sign(answer);
    else if (typeof answer.id === "number") this.#waiting.get(answer.id)?.(answer);
    else for (const tell of [...this.#waiting.values()]) tell(answer);
  }

  /** Proves that this process sent a line, until the line is answered. */
  async #sign({ id, challenge }: { id: RequestId; challenge: string }): Promise<void> {
    const spoken = typeof id === "number" ? this.#spoken.get(id) : undefined;
    if (spoken === undefined) return;
    await showing(signOf(challenge, spoken.line), () => {
      this.send("signed", { of: id }, () => undefined);
      return spoken.ended.promise;
    });
  }
}

function parseAnswer(line: string): ControlAnswer | undefined {
  try {
    return answerSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

export function resultOf(answer: ControlAnswer | null, { pid }: Lease): unknown {
  if (answer === null) {
    throw new RetinueError(
      "not_running",
      `Process ${pid} closed the connection before it answered. 'retinue ps -a' shows the state of its agents; 'retinue resume' continues an interrupted one.`,
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

/**
 * All error codes, so that a new one cannot be forgotten here. An unknown code of another version becomes
 * `unreachable`.
 */
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
