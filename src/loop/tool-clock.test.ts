import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { ToolLimit, withToolClock } from "./tool-clock.ts";

function clock(
  work: (signal: AbortSignal, log: string[]) => Promise<string>,
  options: { limit?: number | null; signal?: AbortSignal } = {},
) {
  const log: string[] = [];
  const { limit = 40, signal = new AbortController().signal } = options;
  const running = withToolClock(
    { tool: "Dig", limit, signal, graceMs: 20, warn: () => log.push("warn") },
    (own) => {
      own.addEventListener("abort", () => log.push("abort"));
      return work(own, log);
    },
  );
  return { log, running };
}

const forEver = (): Promise<string> => new Promise(() => undefined);

test("a call that ignores its signal is warned of, told to end, and given up", async () => {
  const { log, running } = clock(forEver);
  await expect(running).rejects.toThrow(ToolLimit);
  await expect(running).rejects.toThrow(/Dig took longer than 0\.04 s, which is the limit/);
  expect(log).toEqual(["warn", "abort"]);
});

test("what a call says after it was told to end counts", async () => {
  const { log, running } = clock(
    (signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve("half of it"))),
  );
  expect(await running).toBe("half of it");
  expect(log).toEqual(["warn", "abort"]);
});

test("however a call fails after it was told to end, the limit is the reason", async () => {
  const { running } = clock(async (signal) => {
    await sleep(1000, undefined, { signal });
    return "";
  });
  await expect(running).rejects.toThrow(ToolLimit);
});

test("a call that is quick has no warning, and leaves no timer or listener", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const turn = new AbortController();
  const { log, running } = clock(async () => "quick", { signal: turn.signal });
  expect(await running).toBe("quick");
  vi.advanceTimersByTime(1000);
  turn.abort(new Error("later"));
  expect(log).toEqual([]);
});

test("a call without a limit is not ended, but given up when its turn is", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const turn = new AbortController();
  const { log, running } = clock(forEver, { limit: null, signal: turn.signal });
  vi.advanceTimersByTime(1000);
  expect(log).toEqual([]);
  turn.abort(new Error("stopped"));
  const ended = expect(running).rejects.toThrow("stopped");
  await vi.advanceTimersByTimeAsync(1000);
  await ended;
  expect(log).toEqual(["abort"]);
});

test("nothing starts when the turn is already over", async () => {
  let starts = 0;
  const { running } = clock(
    async () => {
      starts += 1;
      return "";
    },
    { signal: AbortSignal.abort(new Error("over")) },
  );
  await expect(running).rejects.toThrow("over");
  expect(starts).toBe(0);
});
