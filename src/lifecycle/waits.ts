import type { AgentEventBody, WaitReason } from "../events/event.ts";
import type { Deadline } from "./deadline.ts";
import type { Ticket } from "./slots.ts";

/** While anything is awaited from outside, the agent holds no slot and its clock stands still. */
export class Waits {
  readonly #ticket: Ticket;
  readonly #deadline: Deadline;
  readonly #signal: AbortSignal;
  readonly #emit: (event: AgentEventBody) => void;
  #open = 0;
  #waking: Promise<void> = Promise.resolve();

  constructor(options: {
    ticket: Ticket;
    deadline: Deadline;
    signal: AbortSignal;
    emit: (event: AgentEventBody) => void;
  }) {
    this.#ticket = options.ticket;
    this.#deadline = options.deadline;
    this.#signal = options.signal;
    this.#emit = options.emit;
  }

  async during<Result>(reason: WaitReason, arrival: () => Promise<Result>): Promise<Result> {
    await this.#waking;
    this.#open += 1;
    if (this.#open === 1) {
      this.#ticket.lend();
      this.#deadline.pause();
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
    this.#deadline.resume();
    this.#emit({ type: "agent-wake" });
  }
}
