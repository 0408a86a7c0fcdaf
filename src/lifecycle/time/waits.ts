import type { AgentEventBody, WaitReason } from "../../events/event.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Ticket } from "../queue/slots.ts";

/** Releases the agent's slot and pauses its clocks while it waits for something outside. */
export class Waits {
  readonly #ticket: Ticket;
  readonly #deadlines: Pick<Deadlines, "pause" | "resume">;
  readonly #signal: AbortSignal;
  readonly #emit: (event: AgentEventBody) => void;
  #open = 0;
  #waking: Promise<void> = Promise.resolve();

  constructor(options: {
    ticket: Ticket;
    deadlines: Pick<Deadlines, "pause" | "resume">;
    signal: AbortSignal;
    emit: (event: AgentEventBody) => void;
  }) {
    this.#ticket = options.ticket;
    this.#deadlines = options.deadlines;
    this.#signal = options.signal;
    this.#emit = options.emit;
  }

  async during<Result>(reason: WaitReason, arrival: () => Promise<Result>): Promise<Result> {
    await this.#waking;
    this.#open += 1;
    if (this.#open === 1) {
      this.#ticket.lend();
      this.#deadlines.pause();
      this.#emit({ type: "agent-wait", reason });
    }
    try {
      return await arrival();
    } finally {
      this.#open -= 1;
      if (this.#open === 0) await (this.#waking = this.#wake());
    }
  }

  async #wake(): Promise<void> {
    if (this.#signal.aborted) return;
    await this.#ticket.reclaim(this.#signal).catch(() => undefined);
    this.#deadlines.resume();
    this.#emit({ type: "agent-wake" });
  }
}
