/** The time and its timers, as a parameter, so that tests and replays control them. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never goes back: people and time servers change the time of day. */
  elapsed(): number;
  /** Calls back once, after the delay. Returns a function that cancels it. */
  schedule(callback: () => void, delayMs: number, options?: ScheduleOptions): () => void;
}

interface ScheduleOptions {
  /** Whether the timer keeps the process alive; left out: it does. */
  ref?: boolean;
}

/** The clock of a host, which may set the time of day alone. */
export type HostClock = Pick<Clock, "now"> & Partial<Clock>;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  schedule(callback, delayMs, { ref = true } = {}) {
    const timer = setTimeout(callback, delayMs);
    if (!ref) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The clock of a host, with the system's for what it leaves out. */
export function wholeClock(clock: HostClock): Clock {
  return {
    now: () => clock.now(),
    elapsed: () => (clock.elapsed === undefined ? systemClock.elapsed() : clock.elapsed()),
    schedule: (...timer) =>
      clock.schedule === undefined ? systemClock.schedule(...timer) : clock.schedule(...timer),
  };
}
