import { expect, test } from "vitest";
import { closeInTime } from "./close-in-time.ts";

test("a cleanup that never ends is given up, and somebody hears of it", async () => {
  let given = 0;
  const hanging = { [Symbol.asyncDispose]: () => new Promise<void>(() => undefined) };
  await closeInTime(hanging, () => (given += 1), 20)[Symbol.asyncDispose]();
  expect(given).toBe(1);
});

test("a cleanup that ends, or fails, is waited for", async () => {
  const log: string[] = [];
  const good = {
    async [Symbol.asyncDispose]() {
      await Promise.resolve();
      log.push("closed");
    },
  };
  await closeInTime(good, () => log.push("given up"), 1000)[Symbol.asyncDispose]();
  expect(log).toEqual(["closed"]);
  const bad = { [Symbol.asyncDispose]: () => Promise.reject(new Error("no")) };
  await expect(
    closeInTime(bad, () => log.push("given up"), 1000)[Symbol.asyncDispose](),
  ).rejects.toThrow("no");
  expect(log).toEqual(["closed"]);
});
