import { expect, test } from "vitest";
import { longestTimer } from "../../contract/longest-timer.ts";
import { TestClock } from "../../platform/clock-fixture.ts";
import { Deadline } from "./deadline.ts";

function record(limit: number, grants: number[] = []) {
  const log: string[] = [];
  const clock = new TestClock();
  const deadline = new Deadline(limit, {
    clock,
    warn: () => log.push("warn"),
    expire: () => {
      const granted = grants.shift() ?? 0;
      log.push(granted > 0 ? "granted" : "expire");
      return granted;
    },
  });
  return { clock, deadline, log };
}

test("warns once, then expires once", () => {
  const { clock, log } = record(40);
  clock.advance(1000);
  clock.advance(60);
  expect(log).toEqual(["warn", "expire"]);
});

test("neither warns nor expires while it stands still, and goes on from there", () => {
  const { clock, deadline, log } = record(60);
  deadline.pause();
  deadline.pause();
  clock.advance(120);
  expect(log).toEqual([]);
  deadline.resume();
  deadline.resume();
  clock.advance(1000);
  expect(log).toEqual(["warn", "expire"]);
});

test("restarted in time it never warns; then it warns again for the new time", () => {
  const { clock, deadline, log } = record(400);
  for (let count = 0; count < 60; count += 1) {
    clock.advance(10);
    deadline.restart();
  }
  expect(log).toEqual([]);
  clock.advance(1000);
  expect(log).toEqual(["warn", "expire"]);
});

test("restarted while it stands still it does not start to run", () => {
  const { clock, deadline, log } = record(20);
  deadline.pause();
  deadline.restart();
  clock.advance(60);
  expect(log).toEqual([]);
});

test("is given more time for as long as that is granted", () => {
  const { clock, log } = record(20, [10, 10]);
  clock.advance(1000);
  expect(log).toEqual(["warn", "granted", "granted", "expire"]);
});

test("time that was granted passes before it expires, and is gone when it restarts", () => {
  const { clock, deadline, log } = record(40);
  deadline.grant(100_000);
  clock.advance(120);
  expect(log).toEqual(["warn"]);
  deadline.restart();
  clock.advance(1000);
  expect(log).toEqual(["warn", "warn", "expire"]);
});

test("closed it says nothing more, whatever is done with it", () => {
  const { clock, deadline, log } = record(20);
  deadline[Symbol.dispose]();
  deadline.restart();
  deadline.resume();
  clock.advance(60);
  expect(log).toEqual([]);
});

test("a limit longer than the longest timer does not expire at once", () => {
  const { clock, deadline, log } = record(longestTimer * 4);
  clock.advance(30);
  expect(log).toEqual([]);
  deadline[Symbol.dispose]();
});
