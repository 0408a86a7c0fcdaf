import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { longestTimer } from "../../contract/longest-timer.ts";
import { Deadline } from "./deadline.ts";

function record(limit: number, grants: number[] = []) {
  const log: string[] = [];
  const over = Promise.withResolvers<void>();
  const deadline = new Deadline(limit, {
    warn: () => log.push("warn"),
    expire: () => {
      const granted = grants.shift() ?? 0;
      log.push(granted > 0 ? "granted" : "expire");
      if (granted === 0) over.resolve();
      return granted;
    },
  });
  return { deadline, log, over: over.promise };
}

test("warns once, then expires once", async () => {
  const { log, over } = record(40);
  await over;
  await sleep(60);
  expect(log).toEqual(["warn", "expire"]);
});

test("neither warns nor expires while it stands still, and goes on from there", async () => {
  const { deadline, log, over } = record(60);
  deadline.pause();
  deadline.pause();
  await sleep(120);
  expect(log).toEqual([]);
  deadline.resume();
  deadline.resume();
  await over;
  expect(log).toEqual(["warn", "expire"]);
});

test("restarted in time it never warns; then it warns again for the new time", async () => {
  const { deadline, log, over } = record(400);
  for (let count = 0; count < 60; count += 1) {
    await sleep(10);
    deadline.restart();
  }
  expect(log).toEqual([]);
  await over;
  expect(log).toEqual(["warn", "expire"]);
});

test("restarted while it stands still it does not start to run", async () => {
  const { deadline, log } = record(20);
  deadline.pause();
  deadline.restart();
  await sleep(60);
  expect(log).toEqual([]);
});

test("is given more time for as long as that is granted", async () => {
  const { log, over } = record(20, [10, 10]);
  await over;
  expect(log).toEqual(["warn", "granted", "granted", "expire"]);
});

test("time that was granted passes before it expires, and is gone when it restarts", async () => {
  const { deadline, log, over } = record(40);
  deadline.grant(100_000);
  await sleep(120);
  expect(log).toEqual(["warn"]);
  deadline.restart();
  await over;
  expect(log).toEqual(["warn", "warn", "expire"]);
});

test("closed it says nothing more, whatever is done with it", async () => {
  const { deadline, log } = record(20);
  deadline[Symbol.dispose]();
  deadline.restart();
  deadline.resume();
  await sleep(60);
  expect(log).toEqual([]);
});

test("a limit longer than the longest timer does not expire at once", async () => {
  const { deadline, log } = record(longestTimer * 4);
  await sleep(30);
  expect(log).toEqual([]);
  deadline[Symbol.dispose]();
});
