/**
 * Values by name, which come and go for as long as the process lives. In the place of a `Map`: V8 gives a map a new table
 * every few changes, and each table that it leaves points to the next one and holds what was in it then. Once one of them is
 * in old space, everything that was ever in the map is kept until a full collection.
 */
export class Roster<Name extends string, Value> {
  readonly #values = Object.create(null) as Record<Name, Value>;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(name: Name): boolean {
    return name in this.#values;
  }

  get(name: Name): Value | undefined {
    return this.#values[name];
  }

  set(name: Name, value: Value): void {
    if (!this.has(name)) this.#size += 1;
    this.#values[name] = value;
  }

  delete(name: Name): void {
    if (!this.has(name)) return;
    this.#size -= 1;
    // oxlint-disable-next-line typescript/no-dynamic-delete -- A name that is gone must not stay as a key.
    delete this.#values[name];
  }

  values(): Value[] {
    return Object.values(this.#values);
  }
}
