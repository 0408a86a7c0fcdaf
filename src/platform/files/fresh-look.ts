/**
 * Shares reads of state that others may change. Each caller gets the result of a read that began after its call. So
 * concurrent callers share one read, and none misses state that existed when it called.
 */
export class FreshLook<Value> {
  readonly #look: () => Promise<Value>;
  #asked = 0;
  #last: { asked: number; found: Promise<Value> } | undefined;

  constructor(look: () => Promise<Value>) {
    this.#look = look;
  }

  /** Registers an asker. Returns a function that gets the result, once it is needed. */
  ask(): () => Promise<Value> {
    this.#asked += 1;
    const place = this.#asked;
    return () => {
      if (this.#last === undefined || this.#last.asked < place)
        this.#last = { asked: this.#asked, found: this.#look() };
      return this.#last.found;
    };
  }

  now(): Promise<Value> {
    return this.ask()();
  }
}
