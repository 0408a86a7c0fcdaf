import { expect, test } from "vitest";
import { boundedCleanup } from "./cleanup.ts";

test("everything is closed, the last first, and a failure is told", async () => {
  const log: string[] = [];
  const stack = new AsyncDisposableStack();
  stack.defer(() => void log.push("first"));
  stack.defer(() => Promise.reject(new Error("no")));
  stack.defer(() => void log.push("last"));
  const cleanup = boundedCleanup(stack, () => log.push("given up"), 1000);
  await expect(cleanup[Symbol.asyncDispose]()).rejects.toThrow("no");
  expect(log).toEqual(["last", "first"]);
});

test("a cleanup that never ends is given up, and somebody hears of it", async () => {
  let given = 0;
  const stack = new AsyncDisposableStack();
  stack.defer(() => new Promise<void>(() => undefined));
  await boundedCleanup(stack, () => (given += 1), 20)[Symbol.asyncDispose]();
  expect(given).toBe(1);
});
