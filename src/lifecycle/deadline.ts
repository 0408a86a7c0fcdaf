import type { Clock } from "../platform/clock.ts";
import { longestTimer } from "../longest-timer.ts";

/** A wall clock that can stand still. Calls `expire` once when the time that it ran for reaches the limit. */
export class Deadline implements Disposable {
  readonly #clock: Clock;
  readonly #expire: () => void;
  #left: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: number, clock: Clock, expire: () => void) {
    this.#left = limit;
    this.#clock = clock;
    this.#expire = expire;
    this.resume();
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= this.#clock.now() - this.#startedAt;
  }

  resume(): void {
    if (this.#timer !== undefined) return;
    this.#startedAt = this.#clock.now();
    this.#timer = setTimeout(this.#expire, Math.min(Math.max(this.#left, 1), longestTimer));
  }

  [Symbol.dispose](): void {
    this.pause();
  }
}
