/**
 * Does one piece of work after the other, in the order in which they came. A failure is its own caller's. Much work in
 * line lets everything else have its turn now and then: work that never waits for anything outside would keep all timers
 * and sockets waiting until the last piece is done.
 */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();
  #inLine = 0;
  #busySince = 0;

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#inLine === 0) this.#busySince = performance.now();
    this.#inLine += 1;
    const done = this.#last.then(async () => {
      if (performance.now() - this.#busySince > longestStretchMs) await this.#pause();
      return work();
    });
    this.#last = done.then(
      () => this.#leave(),
      () => this.#leave(),
    );
    return done;
  }

  #leave(): void {
    this.#inLine -= 1;
  }

  async #pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#busySince = performance.now();
  }
}

const longestStretchMs = 10;
