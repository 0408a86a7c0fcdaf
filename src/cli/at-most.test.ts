import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { atMost } from "./at-most.ts";

test("all are worked on, never more than so many at once, and results keep their order", async () => {
  let [now, most] = [0, 0];
  const doubled = await atMost(3, [5, 1, 4, 2, 3, 0, 6], async (item) => {
    most = Math.max(most, (now += 1));
    for (let left = item; left > 0; left -= 1) await setImmediate();
    now -= 1;
    return item * 2;
  });
  expect(doubled).toEqual([10, 2, 8, 4, 6, 0, 12]);
  expect(most).toBe(3);
});
