/**
 * As much of `Headers` as a provider's client library needs: names in any case, values of one name joined. The built-in
 * one loads all of Node's `fetch`, a sixth of a short run's time, and checks every value, which whoever sends them does anyway.
 * The build puts it in the place of `Headers` in the bundled command line.
 */
export class PlainHeaders implements Iterable<[string, string]> {
  readonly #values = new Map<string, string>();

  constructor(init?: Iterable<readonly [string, string]> | Readonly<Record<string, string>>) {
    if (init === undefined) return;
    const entries = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of entries) this.append(name, value);
  }

  append(name: string, value: string): void {
    const key = name.toLowerCase();
    const before = this.#values.get(key);
    this.#values.set(key, before === undefined ? value : `${before}, ${value}`);
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }

  keys(): IterableIterator<string> {
    return this.#values.keys();
  }

  values(): IterableIterator<string> {
    return this.#values.values();
  }

  forEach(visit: (value: string, name: string, headers: this) => void): void {
    this.#values.forEach((value, name) => visit(value, name, this));
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}
