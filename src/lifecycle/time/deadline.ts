import { longestTimer } from "../../contract/longest-timer.ts";
import { ladder } from "../../loop/ladder.ts";

/**
 * A clock with a limit that can be paused and restarted. It warns once and expires once, at most. Uses a monotonic
 * clock, because people and time servers change the time of day.
 */
export class Deadline implements Disposable {
  readonly #limit: number;
  readonly #warn: (leftMs: number) => void;
  readonly #expire: () => number;
  /** Time granted on top of the limit. */
  #more = 0;
  /** Running time before the last pause. */
  #ran = 0;
  #startedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #step: "warn" | "expire" | "over" = "warn";

  constructor(
    limit: number,
    on: {
      warn: (leftMs: number) => void;
      /** Returns the additional milliseconds; 0: the time is over. */
      expire: () => number;
    },
  ) {
    this.#limit = limit;
    this.#warn = on.warn;
    this.#expire = on.expire;
    this.resume();
  }

  pause(): void {
    this.#ran = this.#elapsed();
    this.#startedAt = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  resume(): void {
    if (this.#startedAt !== undefined) return;
    this.#startedAt = performance.now();
    this.#arm();
  }

  /** Resets the clock to its whole limit. */
  restart(): void {
    if (this.#step === "over") return;
    const isRunning = this.#startedAt !== undefined;
    this.pause();
    this.#ran = 0;
    this.#more = 0;
    this.#step = "warn";
    if (isRunning) this.resume();
  }

  /** Adds time that is not the agent's own, until the next restart. */
  grant(milliseconds: number): void {
    this.#more += milliseconds;
  }

  [Symbol.dispose](): void {
    this.pause();
    this.#step = "over";
  }

  #elapsed(): number {
    return this.#ran + (this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt);
  }

  #arm(): void {
    if (this.#step === "over") return;
    const due = this.#step === "warn" ? this.#limit * ladder.warnAt : this.#limit + this.#more;
    const wait = Math.min(Math.max(Math.ceil(due - this.#elapsed()), 1), longestTimer);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), wait);
  }

  #look(): void {
    const elapsed = this.#elapsed();
    if (this.#step === "warn" && elapsed >= this.#limit * ladder.warnAt) {
      this.#step = "expire";
      this.#warn(Math.max(0, Math.round(this.#limit - elapsed)));
    }
    if (elapsed >= this.#limit + this.#more) {
      const granted = this.#expire();
      if (granted <= 0) this.#step = "over";
      this.#more = elapsed - this.#limit + granted;
    }
    this.#arm();
  }
}
