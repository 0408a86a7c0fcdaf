import { longestTimer } from "../contract/longest-timer.ts";
import type { Clock } from "../platform/clock.ts";
import type { Answered, InboxRequest } from "./request.ts";

/**
 * One request with a waiting asker: its promise, its deadline and the asker's signal. Keeps the process alive, because
 * an agent whose question is open is at work.
 */
export class OpenRequest {
  readonly request: InboxRequest;
  /** Requests asked before this one: the clock ties within a millisecond, and the disk stores them in any order. */
  readonly number: number;
  readonly answered: Promise<Answered>;
  readonly signal: AbortSignal;
  /** The answerer, while the grants of the answer are being stored. */
  answering: string | null = null;
  readonly #clock: Clock;
  readonly #resolve: (answered: Answered) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #on: { abort: () => void; deadline: () => void };
  #cancel: () => void = () => undefined;

  constructor(options: {
    request: InboxRequest;
    number: number;
    signal: AbortSignal;
    clock: Clock;
    /** Callbacks, not called while it is being answered, nor after it was settled. */
    on: { abort: () => void; deadline: () => void };
  }) {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    this.request = options.request;
    this.number = options.number;
    this.signal = options.signal;
    this.answered = promise;
    this.#clock = options.clock;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#on = options.on;
    this.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#arm();
  }

  /**
   * Reopens a request that could not be answered after all. An abort or a deadline from the meantime takes effect now.
   */
  reopen(): void {
    this.answering = null;
    if (this.signal.aborted) this.#on.abort();
    else this.#arm();
  }

  resolve(answered: Answered): void {
    this.#release();
    this.#resolve(answered);
  }

  reject(reason: unknown): void {
    this.#release();
    this.#reject(reason);
  }

  readonly #onAbort = (): void => {
    if (this.answering === null) this.#on.abort();
  };

  /**
   * Starts the timer. The deadline is by the session's clock; without one a timer runs too, to keep the process alive.
   */
  #arm(): void {
    this.#cancel();
    const { deadline } = this.request;
    const left = deadline === null ? Infinity : Math.max(0, deadline - this.#clock.now());
    const fire = (): void => {
      if (left > longestTimer) this.#arm();
      else if (this.answering === null) this.#on.deadline();
    };
    this.#cancel = this.#clock.schedule(fire, Math.min(left, longestTimer));
  }

  #release(): void {
    this.#cancel();
    this.signal.removeEventListener("abort", this.#onAbort);
  }
}
