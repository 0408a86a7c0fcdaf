import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { relay } from "./relay.ts";

async function collect<T>(
  generator: AsyncGenerator<string, T>,
): Promise<{ events: string[]; result: T }> {
  const events: string[] = [];
  for (;;) {
    const { done, value } = await generator.next();
    if (done === true) return { events, result: value };
    events.push(value);
  }
}

test("everything emitted is yielded in order before the result comes out", async () => {
  const work = relay<string, unknown>(async ({ emit }) => {
    emit("1");
    await setImmediate();
    emit("2");
    emit("3");
    return "done";
  });
  expect(await collect(work)).toEqual({
    events: ["1", "2", "3"],
    result: "done",
  });
});

test("an error comes out after what was emitted before it", async () => {
  const seen: string[] = [];
  const work = relay<string, unknown>(async ({ emit }) => {
    emit("1");
    throw new Error("broken");
  });
  await expect(async () => {
    for await (const one of work) seen.push(one);
  }).rejects.toThrow("broken");
  expect(seen).toEqual(["1"]);
});

test("a consumer that breaks off waits for the work to end, and nothing is left unhandled", async () => {
  let ended = false;
  const work = relay<string, unknown>(async ({ emit }) => {
    emit("1");
    await setImmediate();
    ended = true;
    throw new Error("nobody listens");
  });
  for await (const _ of work) break;
  expect(ended).toBe(true);
});

test("told: work goes on only when the reader has taken everything and comes back", async () => {
  const order: string[] = [];
  const work = relay<string, void>(async ({ emit, told }) => {
    emit("1");
    emit("2");
    await told();
    order.push("work goes on");
    await told();
    emit("3");
    await told();
    order.push("work ends");
  });
  for await (const event of work) {
    await setImmediate();
    order.push(`read ${event}`);
  }
  expect(order).toEqual(["read 1", "read 2", "work goes on", "read 3", "work ends"]);
});

test("told: nobody waits for a reader that has gone", async () => {
  let ended = false;
  const work = relay<string, void>(async ({ emit, told }) => {
    emit("1");
    await told();
    emit("2");
    await told();
    ended = true;
  });
  for await (const _ of work) break;
  expect(ended).toBe(true);
});

test("a reader that aborts while it waits, and then returns, hears the last words and leaves nothing running", async () => {
  const abort = new AbortController();
  let ended = false;
  const work = relay<string, void>(async ({ emit, told }) => {
    await new Promise((resolve) => abort.signal.addEventListener("abort", resolve));
    emit("last words");
    await told();
    ended = true;
  });
  const waiting = work.next();
  abort.abort();
  const returned = work.return();
  expect(await waiting).toEqual({ done: false, value: "last words" });
  await returned;
  expect(ended).toBe(true);
});
