import { longestTimer } from "../../contract/longest-timer.ts";
import { ladder } from "../../loop/ladder.ts";

/**
 * A clock with a limit that can stand still and start anew. It warns once on its way and expires once, at most. Measured
 * without the time of day, which people and time servers change.
 */
export class Deadline implements Disposable {
  readonly #limit: number;
  readonly #warn: (leftMs: number) => void;
  readonly #expire: () => number;
  /** What was granted on top of the limit. */
  #more = 0;
  /** For how long it ran before it last stood still. */
  #ran = 0;
  #startedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #step: "warn" | "expire" | "over" = "warn";

  constructor(
    limit: number,
    on: {
      warn: (leftMs: number) => void;
      /** Returns how many milliseconds more it is given; 0: its time is over. */
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

  /** The whole time is left again. */
  restart(): void {
    if (this.#step === "over") return;
    const isRunning = this.#startedAt !== undefined;
    this.pause();
    this.#ran = 0;
    this.#more = 0;
    this.#step = "warn";
    if (isRunning) this.resume();
  }

  /** Once, until it restarts: time that is somebody else's. */
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
