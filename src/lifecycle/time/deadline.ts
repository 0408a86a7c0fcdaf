import { longestTimer } from "../../contract/longest-timer.ts";
import { ladder } from "../../loop/ladder.ts";
import type { Clock } from "../../platform/clock.ts";

/**
 * A limit of time that can be paused and restarted. It warns once and expires once, at most.
 */
export class Deadline implements Disposable {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #warn: (leftMs: number) => void;
  readonly #expire: () => number;
  /** Time granted on top of the limit. */
  #more = 0;
  /** Running time before the last pause. */
  #ran = 0;
  #startedAt: number | undefined;
  #cancel: () => void = () => undefined;
  #step: "warn" | "expire" | "over" = "warn";

  constructor(
    limit: number,
    on: {
      clock: Clock;
      warn: (leftMs: number) => void;
      /** Returns the additional milliseconds; 0: the time is over. */
      expire: () => number;
    },
  ) {
    this.#limit = limit;
    this.#clock = on.clock;
    this.#warn = on.warn;
    this.#expire = on.expire;
    this.resume();
  }

  pause(): void {
    this.#ran = this.#elapsed();
    this.#startedAt = undefined;
    this.#cancel();
  }

  resume(): void {
    if (this.#startedAt !== undefined) return;
    this.#startedAt = this.#clock.elapsed();
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
    return (
      this.#ran + (this.#startedAt === undefined ? 0 : this.#clock.elapsed() - this.#startedAt)
    );
  }

  #arm(): void {
    if (this.#step === "over") return;
    const due = this.#step === "warn" ? this.#limit * ladder.warnAt : this.#limit + this.#more;
    const wait = Math.min(Math.max(Math.ceil(due - this.#elapsed()), 1), longestTimer);
    this.#cancel();
    this.#cancel = this.#clock.schedule(() => this.#look(), wait);
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
