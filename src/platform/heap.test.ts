import { expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { Heap } from "./heap.ts";

interface Item {
  key: number;
  id: number;
}

const isBefore = (one: Item, other: Item): boolean =>
  one.key === other.key ? one.id < other.id : one.key < other.key;

const action = fc.record({
  kind: fc.constantFrom("add", "add", "remove", "take"),
  pick: fc.nat(50),
  key: fc.integer({ min: 0, max: 9 }),
});

test("whatever enters and leaves, the first is the least of those that are left", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 200, size: "max" }), (actions) => {
      const heap = new Heap<Item>(isBefore);
      const items: Item[] = [];
      actions.forEach(({ kind, pick, key }, id) => {
        const chosen = kind === "take" ? heap.first : items[pick % Math.max(1, items.length)];
        if (kind === "add" || chosen === undefined) {
          const item = { key, id };
          items.push(item);
          heap.add(item);
        } else {
          items.splice(items.indexOf(chosen), 1);
          heap.remove(chosen);
          heap.remove(chosen);
        }
        const least = items.toSorted((one, other) => (isBefore(one, other) ? -1 : 1))[0];
        expect(heap.first).toBe(least);
        expect(heap.size).toBe(items.length);
      });
    }),
  );
});

test("five thousand items are put in order with a few dozen comparisons each", () => {
  let comparisons = 0;
  const heap = new Heap<Item>((one, other) => {
    comparisons += 1;
    return isBefore(one, other);
  });
  for (let id = 0; id < 5000; id += 1) heap.add({ key: (id * 7919) % 5003, id });
  const order: number[] = [];
  for (let item = heap.first; item !== undefined; item = heap.first) {
    order.push(item.key);
    heap.remove(item);
  }
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  expect(comparisons).toBeLessThan(5000 * 40);
});
