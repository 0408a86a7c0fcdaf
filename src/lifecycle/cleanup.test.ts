import { expect, test } from "vitest";
import { Cleanup } from "./cleanup.ts";

test("everything is closed, the last first, one after the other", async () => {
  const log: string[] = [];
  const cleanup = new Cleanup(() => log.push("given up"), 1000);
  cleanup.defer(() => log.push("first"));
  const second = {
    async [Symbol.asyncDispose]() {
      await Promise.resolve();
      log.push("second");
    },
  };
  expect(cleanup.use(second)).toBe(second);
  cleanup.defer(() => log.push("third"));
  await cleanup[Symbol.asyncDispose]();
  expect(log).toEqual(["third", "second", "first"]);
  await cleanup[Symbol.asyncDispose]();
  expect(log).toHaveLength(3);
});

test("a cleanup that never ends is given up, and somebody hears of it", async () => {
  let given = 0;
  const cleanup = new Cleanup(() => (given += 1), 20);
  cleanup.defer(() => new Promise<void>(() => undefined));
  await cleanup[Symbol.asyncDispose]();
  expect(given).toBe(1);
});

test("a failure is told, and keeps nothing else from being closed", async () => {
  const log: string[] = [];
  const cleanup = new Cleanup(() => log.push("given up"), 1000);
  cleanup.defer(() => log.push("closed"));
  cleanup.defer(() => Promise.reject(new Error("later")));
  cleanup.defer(() => {
    throw new Error("sooner");
  });
  await expect(cleanup[Symbol.asyncDispose]()).rejects.toMatchObject({
    error: { message: "later" },
    suppressed: { message: "sooner" },
  });
  expect(log).toEqual(["closed"]);
});

test("a single failure is told as it is", async () => {
  const cleanup = new Cleanup(() => undefined, 1000);
  cleanup.defer(() => Promise.reject(new Error("no")));
  await expect(cleanup[Symbol.asyncDispose]()).rejects.toThrow("no");
});
