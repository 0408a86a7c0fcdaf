import { expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { Roster } from "./roster.ts";

test("is a map, whatever the names are", () => {
  const name = fc.constantFrom("a", "b", "__proto__", "constructor", "toString", "10", "");
  const step = fc.record({ name, remove: fc.boolean(), value: fc.nat() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const roster = new Roster<string, number>();
      const map = new Map<string, number>();
      for (const { name: one, remove, value } of steps) {
        if (remove) [roster, map].forEach((all) => void all.delete(one));
        else [roster, map].forEach((all) => void all.set(one, value));
        expect([roster.size, roster.has(one), roster.get(one)]).toEqual([
          map.size,
          map.has(one),
          map.get(one),
        ]);
      }
      const sorted = (values: Iterable<number>): number[] => [...values].toSorted((a, b) => a - b);
      expect(sorted(roster.values())).toEqual(sorted(map.values()));
    }),
  );
});
