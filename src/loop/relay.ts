/** How work tells what happens. */
export interface Report<Event> {
  /** Hands an event over, in order. Never waits. */
  readonly emit: (event: Event) => void;
  /** Resolves when everything handed over so far was taken: the reader has dealt with it and asks for more. */
  readonly told: () => Promise<void>;
}

/**
 * Runs work that reports as a generator that yields those reports, in order, and returns the work's result. Everything
 * emitted is yielded before the result or the error comes out. It has one reader, which asks when it has dealt with the
 * last event. (Written out: the language's own generator makes three times as many promises, for every event.)
 */
export function relay<Event, Result>(
  work: (report: Report<Event>) => Promise<Result>,
): AsyncGenerator<Event, Result> {
  return new Relay(work);
}

class Relay<Event, Result> implements AsyncGenerator<Event, Result> {
  readonly #work: (report: Report<Event>) => Promise<Result>;
  /** From the first question on. */
  #outcome: Promise<Result> | undefined;
  #over = false;
  /** The reader has broken off. */
  #isGone = false;
  #queue: Event[] = [];
  /** The reader, when it has come back and there was nothing for it. */
  #reader:
    | ((next: IteratorResult<Event, Result> | Promise<IteratorResult<Event, Result>>) => void)
    | undefined;
  #taken: PromiseWithResolvers<void> | undefined;

  constructor(work: (report: Report<Event>) => Promise<Result>) {
    this.#work = work;
  }

  next(): Promise<IteratorResult<Event, Result>> {
    this.#outcome ??= this.#start();
    const value = this.#queue.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    this.#release();
    if (this.#over) return this.#end(this.#outcome);
    return new Promise((resolve) => (this.#reader = resolve));
  }

  /** A reader that breaks off has aborted first, so this ends soon; nothing is left running behind its back. */
  async return(value: Result | PromiseLike<Result>): Promise<IteratorResult<Event, Result>> {
    this.#over = true;
    this.#isGone = true;
    this.#queue = [];
    this.#release();
    await this.#outcome?.catch(() => undefined);
    this.#outcome = Promise.resolve(value);
    return this.#end(this.#outcome);
  }

  async throw(error: unknown): Promise<IteratorResult<Event, Result>> {
    await this.return(undefined as never);
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return(undefined as never);
  }

  #start(): Promise<Result> {
    const report = { emit: (event: Event) => this.#emit(event), told: () => this.#told() };
    const outcome = (async () => this.#work(report))();
    const settle = (): void => {
      this.#over = true;
      this.#reader?.(this.#end(outcome));
    };
    // The error belongs to the reader; until it comes nobody may call it unhandled.
    outcome.then(settle, settle);
    return outcome;
  }

  #emit(event: Event): void {
    if (this.#isGone) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#queue.push(event);
    else reader({ done: false, value: event });
  }

  #told(): Promise<void> {
    if (this.#over || this.#reader !== undefined) return Promise.resolve();
    this.#taken ??= Promise.withResolvers();
    return this.#taken.promise;
  }

  #release(): void {
    this.#taken?.resolve();
    this.#taken = undefined;
  }

  #end(outcome: Promise<Result>): Promise<IteratorResult<Event, Result>> {
    return outcome.then((value) => ({ done: true, value }));
  }
}
