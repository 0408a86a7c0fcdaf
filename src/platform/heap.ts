/** Keeps its items so that the first is at hand; any of them can leave. Both entering and leaving take O(log n). */
export class Heap<Item extends object> {
  readonly #isBefore: (one: Item, other: Item) => boolean;
  readonly #items: Item[] = [];
  /** Weak: what has left must not be kept by the tables of a map (see `Roster`). */
  readonly #places = new WeakMap<Item, number>();

  /** `isBefore` must be a strict order, and stay the same for the items that are here. */
  constructor(isBefore: (one: Item, other: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#rise(item, this.#items.length);
  }

  /** Items that are not here do no harm. */
  remove(item: Item): void {
    const place = this.#places.get(item);
    if (place === undefined) return;
    this.#places.delete(item);
    const last = this.#items.pop() as Item;
    if (place === this.#items.length) return;
    this.#sink(last, this.#rise(last, place));
  }

  #rise(item: Item, from: number): number {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = this.#items[above] as Item;
      if (!this.#isBefore(item, other)) break;
      this.#put(other, place);
      place = above;
    }
    this.#put(item, place);
    return place;
  }

  #sink(item: Item, from: number): void {
    let place = from;
    for (;;) {
      const left = 2 * place + 1;
      if (left >= this.#items.length) break;
      const right = left + 1;
      const below =
        right < this.#items.length &&
        this.#isBefore(this.#items[right] as Item, this.#items[left] as Item)
          ? right
          : left;
      const other = this.#items[below] as Item;
      if (!this.#isBefore(other, item)) break;
      this.#put(other, place);
      place = below;
    }
    this.#put(item, place);
  }

  #put(item: Item, place: number): void {
    this.#items[place] = item;
    this.#places.set(item, place);
  }
}
