/**
 * Values by name, which come and go for as long as the process lives. In the place of a `Map`: V8 gives a table of any kind a
 * successor now and then, and what was in the one that it leaves is kept until a full collection, once that table is in old
 * space; of a map even all that ever was in its successors. Here a table holds nothing but boxes, and a name that leaves
 * leaves its box empty.
 */
export class Roster<Name extends string, Value> {
  readonly #boxes = Object.create(null) as Record<Name, Box<Value>>;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(name: Name): boolean {
    return name in this.#boxes;
  }

  get(name: Name): Value | undefined {
    return this.#boxes[name]?.value;
  }

  set(name: Name, value: Value): void {
    const box = this.#boxes[name];
    if (box !== undefined) {
      box.value = value;
      return;
    }
    this.#size += 1;
    this.#boxes[name] = { value };
  }

  delete(name: Name): void {
    const box = this.#boxes[name];
    if (box === undefined) return;
    this.#size -= 1;
    box.value = undefined;
    // oxlint-disable-next-line typescript/no-dynamic-delete -- A name that is gone must not stay as a key.
    delete this.#boxes[name];
  }

  names(): Name[] {
    return Object.keys(this.#boxes) as Name[];
  }

  values(): Value[] {
    return Object.values<Box<Value>>(this.#boxes).map(({ value }) => value as Value);
  }
}

/** Empty once its name has left. */
interface Box<Value> {
  value: Value | undefined;
}
