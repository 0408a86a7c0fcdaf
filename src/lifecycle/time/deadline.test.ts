import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { longestTimer } from "../../contract/longest-timer.ts";
import { Deadline } from "./deadline.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function record(limit: number, grants: number[] = []) {
  const log: string[] = [];
  const deadline = new Deadline(limit, {
    warn: () => log.push("warn"),
    expire: () => {
      const granted = grants.shift() ?? 0;
      log.push(granted > 0 ? "granted" : "expire");
      return granted;
    },
  });
  return { deadline, log };
}

test("warns once, then expires once", () => {
  const { log } = record(40);
  vi.advanceTimersByTime(1000);
  vi.advanceTimersByTime(60);
  expect(log).toEqual(["warn", "expire"]);
});

test("neither warns nor expires while it stands still, and goes on from there", () => {
  const { deadline, log } = record(60);
  deadline.pause();
  deadline.pause();
  vi.advanceTimersByTime(120);
  expect(log).toEqual([]);
  deadline.resume();
  deadline.resume();
  vi.advanceTimersByTime(1000);
  expect(log).toEqual(["warn", "expire"]);
});

test("restarted in time it never warns; then it warns again for the new time", () => {
  const { deadline, log } = record(400);
  for (let count = 0; count < 60; count += 1) {
    vi.advanceTimersByTime(10);
    deadline.restart();
  }
  expect(log).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(log).toEqual(["warn", "expire"]);
});

test("restarted while it stands still it does not start to run", () => {
  const { deadline, log } = record(20);
  deadline.pause();
  deadline.restart();
  vi.advanceTimersByTime(60);
  expect(log).toEqual([]);
});

test("is given more time for as long as that is granted", () => {
  const { log } = record(20, [10, 10]);
  vi.advanceTimersByTime(1000);
  expect(log).toEqual(["warn", "granted", "granted", "expire"]);
});

test("time that was granted passes before it expires, and is gone when it restarts", () => {
  const { deadline, log } = record(40);
  deadline.grant(100_000);
  vi.advanceTimersByTime(120);
  expect(log).toEqual(["warn"]);
  deadline.restart();
  vi.advanceTimersByTime(1000);
  expect(log).toEqual(["warn", "warn", "expire"]);
});

test("closed it says nothing more, whatever is done with it", () => {
  const { deadline, log } = record(20);
  deadline[Symbol.dispose]();
  deadline.restart();
  deadline.resume();
  vi.advanceTimersByTime(60);
  expect(log).toEqual([]);
});

test("a limit longer than the longest timer does not expire at once", () => {
  const { deadline, log } = record(longestTimer * 4);
  vi.advanceTimersByTime(30);
  expect(log).toEqual([]);
  deadline[Symbol.dispose]();
});
