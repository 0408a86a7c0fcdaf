import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { abortable } from "./abortable.ts";

test("work that does not heed its signal is left behind with the signal's reason", async () => {
  const abort = new AbortController();
  const left = abortable(new Promise(() => undefined), abort.signal);
  abort.abort("enough");
  await expect(left).rejects.toBe("enough");
});

test("the outcome of work that ends first comes out, and no listener stays", async () => {
  const { signal } = new AbortController();
  expect(await abortable(Promise.resolve(1), signal)).toBe(1);
  await expect(abortable(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
