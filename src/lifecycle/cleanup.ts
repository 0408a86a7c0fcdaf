import { ladder } from "../loop/ladder.ts";

/**
 * Everything that a run has opened. It is closed in reverse order, each thing whatever becomes of the others; when that does
 * not end, the run goes on without it: an agent always ends. (Not an `AsyncDisposableStack`: what that makes while it
 * closes stays in memory until V8 collects everything, with the whole run.)
 */
export class Cleanup implements AsyncDisposable {
  readonly #ends: (() => unknown)[] = [];
  readonly #onGiveUp: () => void;
  readonly #limitMs: number;

  constructor(onGiveUp: () => void, limitMs: number = ladder.cleanupMs) {
    this.#onGiveUp = onGiveUp;
    this.#limitMs = limitMs;
  }

  use<Thing extends AsyncDisposable>(thing: Thing): Thing {
    this.defer(() => thing[Symbol.asyncDispose]());
    return thing;
  }

  defer(end: () => unknown): void {
    this.#ends.push(end);
  }

  /** Rejects when something could not be closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    const tooLong = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#onGiveUp();
      tooLong.resolve();
    }, this.#limitMs);
    try {
      await Promise.race([this.#closeAll(), tooLong.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (let end = this.#ends.pop(); end !== undefined; end = this.#ends.pop()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0)
      throw failures.reduce((first, next) => new SuppressedError(next, first));
  }
}
