import { once } from "node:events";
import { expect, test } from "vitest";
import { TestClock } from "../platform/clock-fixture.ts";
import { ToolLimit, withToolClock } from "./tool-clock.ts";

function start(
  work: (signal: AbortSignal, log: string[]) => Promise<string>,
  options: { limit?: number | null; signal?: AbortSignal } = {},
) {
  const log: string[] = [];
  const clock = new TestClock();
  const { limit = 40, signal = new AbortController().signal } = options;
  const running = withToolClock(
    { tool: "Dig", limit, signal, clock, graceMs: 20, warn: () => log.push("warn") },
    (own) => {
      own.addEventListener("abort", () => log.push("abort"));
      return work(own, log);
    },
  );
  return { clock, log, running };
}

const forEver = (): Promise<string> => new Promise(() => undefined);

test("a call that ignores its signal is warned of, told to end, and given up", async () => {
  const { clock, log, running } = start(forEver);
  clock.advance(60);
  await expect(running).rejects.toThrow(ToolLimit);
  await expect(running).rejects.toThrow(/Dig took longer than 0\.04 s, which is the limit/);
  expect(log).toEqual(["warn", "abort"]);
});

test("what a call says after it was told to end counts", async () => {
  const { clock, log, running } = start(
    (signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve("half of it"))),
  );
  clock.advance(40);
  expect(await running).toBe("half of it");
  expect(log).toEqual(["warn", "abort"]);
});

test("however a call fails after it was told to end, the limit is the reason", async () => {
  const { clock, running } = start(async (signal) => {
    await once(signal, "abort");
    throw new Error("It broke.");
  });
  clock.advance(40);
  await expect(running).rejects.toThrow(ToolLimit);
});

test("a call that is quick has no warning, and leaves no timer or listener", async () => {
  const turn = new AbortController();
  const { clock, log, running } = start(async () => "quick", { signal: turn.signal });
  expect(await running).toBe("quick");
  expect(clock.timers).toEqual([]);
  turn.abort(new Error("later"));
  expect(log).toEqual([]);
});

test("a call without a limit is not ended, but given up when its turn is", async () => {
  const turn = new AbortController();
  const { clock, log, running } = start(forEver, { limit: null, signal: turn.signal });
  clock.advance(1000);
  expect(log).toEqual([]);
  turn.abort(new Error("stopped"));
  clock.advance(20);
  await expect(running).rejects.toThrow("stopped");
  expect(log).toEqual(["abort"]);
});

test("nothing starts when the turn is already over", async () => {
  let starts = 0;
  const { running } = start(
    async () => {
      starts += 1;
      return "";
    },
    { signal: AbortSignal.abort(new Error("over")) },
  );
  await expect(running).rejects.toThrow("over");
  expect(starts).toBe(0);
});
