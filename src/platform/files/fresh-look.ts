/**
 * Looks at what others may change. Whoever asks gets what was found by a look that began after he had asked. So many who
 * ask in one moment and are served one after the other share a look, and nobody misses what was there when he asked.
 */
export class FreshLook<Value> {
  readonly #look: () => Promise<Value>;
  #asked = 0;
  #last: { asked: number; found: Promise<Value> } | undefined;

  constructor(look: () => Promise<Value>) {
    this.#look = look;
  }

  /** Returns how to get it, once it is needed. */
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
