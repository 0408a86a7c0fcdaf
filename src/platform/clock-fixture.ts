import type { Clock } from "./clock.ts";

/** A clock that stands still until a test advances it. */
export class TestClock implements Clock {
  time: number;
  timers: { at: number; callback: () => void }[] = [];

  constructor(time = 1_000_000) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  elapsed(): number {
    return this.time;
  }

  schedule(callback: () => void, delayMs: number): () => void {
    const timer = { at: this.time + delayMs, callback };
    this.timers.push(timer);
    return () => void (this.timers = this.timers.filter((other) => other !== timer));
  }

  /** Calls back every timer that is due by then, in order. */
  advance(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (;;) {
      const next = this.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.time = Math.max(this.time, next.at);
      next.callback();
    }
    this.time = end;
  }
}
