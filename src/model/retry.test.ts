import { expect, test } from "vitest";
import { ModelError } from "./model.ts";
import { withRetry, type Retry } from "./retry.ts";

const policy = { attempts: 4, base: 100, most: 250 };

async function delays(errors: ModelError[], random: number): Promise<number[]> {
  const retries: Retry[] = [];
  const abort = new AbortController();
  const work = withRetry((attempt) => Promise.reject(errors[attempt - 1] ?? new Error("out")), {
    policy: { ...policy, base: 1, most: 1 },
    signal: abort.signal,
    random: () => random,
    onRetry: (retry) => retries.push(retry),
  });
  await work.catch(() => undefined);
  return retries.map(({ delayMs }) => delayMs);
}

test("a passing fault is tried again until it passes; the result is that of the last try", async () => {
  let tries = 0;
  const result = await withRetry(
    async (attempt) => {
      tries = attempt;
      if (attempt < 3) throw new ModelError("overloaded", "busy");
      return attempt;
    },
    {
      policy: { ...policy, base: 1, most: 2 },
      signal: new AbortController().signal,
      random: () => 0,
      onRetry: () => undefined,
    },
  );
  expect([result, tries]).toEqual([3, 3]);
});

test("a fault that does not pass and an error that is no fault of the provider come out at once", async () => {
  for (const error of [new ModelError("unauthorized", "no"), new Error("bug")]) {
    let tries = 0;
    const work = withRetry(() => ((tries += 1), Promise.reject(error)), {
      policy,
      signal: new AbortController().signal,
      random: () => 0,
      onRetry: () => undefined,
    });
    await expect(work).rejects.toBe(error);
    expect(tries).toBe(1);
  }
});

test("pauses double up to a limit, and the provider's wish is honoured beyond it", async () => {
  const asked: number[] = [];
  const abort = new AbortController();
  const errors = [undefined, undefined, 7].map(
    (retryAfterMs) =>
      new ModelError("rate_limited", "x", retryAfterMs === undefined ? {} : { retryAfterMs }),
  );
  const work = withRetry(
    (attempt) => Promise.reject(errors[attempt - 1] ?? new ModelError("unauthorized", "end")),
    {
      policy: { attempts: 9, base: 2, most: 3 },
      signal: abort.signal,
      random: () => 1,
      onRetry: ({ delayMs }) => asked.push(delayMs),
    },
  );
  await expect(work).rejects.toThrow("end");
  expect(asked).toEqual([2, 3, 7]);
});

test("jitter halves a pause at most", async () => {
  const busy = Array.from({ length: 2 }, () => new ModelError("overloaded", "x"));
  expect(await delays(busy, 1)).toEqual([1, 1]);
  expect((await delays(busy, 0)).every((delay) => delay <= 1)).toBe(true);
});

test("an abort ends the pause with the signal's reason", async () => {
  const abort = new AbortController();
  const work = withRetry(() => Promise.reject(new ModelError("overloaded", "x")), {
    policy: { attempts: 9, base: 60_000, most: 60_000 },
    signal: abort.signal,
    random: () => 1,
    onRetry: () => abort.abort(new Error("enough")),
  });
  await expect(work).rejects.toThrow("enough");
});
