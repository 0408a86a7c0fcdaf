import { expect, test } from "vitest";
import { StopCause } from "./abort.ts";
import { RunEnding } from "./run-ending.ts";

const never = new Promise<string>(() => undefined);

function abortedRun(): { ending: RunEnding; signal: AbortSignal; cause: StopCause } {
  const cause = new StopCause("stopped", "enough");
  return { ending: new RunEnding(), signal: AbortSignal.abort(cause), cause };
}

test("a run that is abandoned does not wait for work that heeds no signal", async () => {
  const { ending, signal, cause } = abortedRun();
  const outcome = ending.of(never, signal);
  ending.abandon();
  await expect(outcome).rejects.toBe(cause);
});

test("work that needs a moment to end says itself how it ended", async () => {
  const { ending, signal } = abortedRun();
  ending.abandon();
  const work = new Promise<string>((resolve) => setImmediate(() => resolve("ended")));
  expect(await ending.of(work, signal)).toBe("ended");
});

test("what comes of work that was left behind troubles nobody", async () => {
  const { ending, signal, cause } = abortedRun();
  const work = Promise.withResolvers<string>();
  ending.abandon();
  await expect(ending.of(work.promise, signal)).rejects.toBe(cause);
  work.reject(new Error("too late"));
  // An unhandled rejection would end the process on the next turns of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
});
