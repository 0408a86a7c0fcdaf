import { expect, test } from "vitest";
import { Lane } from "./lane.ts";

test("work is done in the order in which it came, whether or not an earlier piece failed", async () => {
  const lane = new Lane();
  const done: number[] = [];
  const pieces = [1, 2, 3].map((number) =>
    lane.run(async () => {
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
  const lane = new Lane();
  let done = 0;
  const busy = async (): Promise<void> => {
    const until = performance.now() + 6;
    while (performance.now() < until);
    done += 1;
  };
  const doneAtTimer = new Promise<number>((resolve) => setTimeout(() => resolve(done), 1));

  await Promise.all(Array.from({ length: 40 }, () => lane.run(busy)));

  expect(done).toBe(40);
  expect(await doneAtTimer).toBeLessThan(40);
});
