import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Gate, mapAtMost } from "./gate.ts";

test("work is done in the order in which it came, whether or not an earlier piece failed", async () => {
  const gate = new Gate(1);
  const done: number[] = [];
  const pieces = [1, 2, 3].map((number) =>
    gate.run(async () => {
      await Promise.resolve();
      done.push(number);
      if (number === 2) throw new Error("broken");
    }),
  );

  const outcomes = await Promise.allSettled(pieces);

  expect(done).toEqual([1, 2, 3]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("a long line of work that never waits lets timers have their turn before its end", async () => {
  const gate = new Gate(1);
  let done = 0;
  const busy = async (): Promise<void> => {
    const until = performance.now() + 6;
    while (performance.now() < until);
    done += 1;
  };
  const doneAtTimer = new Promise<number>((resolve) => setTimeout(() => resolve(done), 1));

  await Promise.all(Array.from({ length: 40 }, () => gate.run(busy)));

  expect(done).toBe(40);
  expect(await doneAtTimer).toBeLessThan(40);
});

test("all are worked on, never more than so many at once, and results keep their order", async () => {
  let [now, most] = [0, 0];
  const doubled = await mapAtMost(3, [5, 1, 4, 2, 3, 0, 6], async (item) => {
    most = Math.max(most, (now += 1));
    for (let left = item; left > 0; left -= 1) await setImmediate();
    now -= 1;
    return item * 2;
  });
  expect(doubled).toEqual([10, 2, 8, 4, 6, 0, 12]);
  expect(most).toBe(3);
});
