import { expect, test } from "vitest";
import type { AgentEventBody } from "../events/event.ts";
import { relay } from "./relay.ts";

const event = (text: string): AgentEventBody => ({ type: "text-delta", text });

async function collect<T>(
  generator: AsyncGenerator<AgentEventBody, T>,
): Promise<{ events: AgentEventBody[]; result: T }> {
  const events: AgentEventBody[] = [];
  for (;;) {
    const { done, value } = await generator.next();
    if (done === true) return { events, result: value };
    events.push(value);
  }
}

test("everything emitted is yielded in order before the result comes out", async () => {
  const work = relay(async (emit) => {
    emit(event("1"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    emit(event("2"));
    emit(event("3"));
    return "done";
  });
  expect(await collect(work)).toEqual({
    events: [event("1"), event("2"), event("3")],
    result: "done",
  });
});

test("an error comes out after what was emitted before it", async () => {
  const seen: AgentEventBody[] = [];
  const work = relay(async (emit) => {
    emit(event("1"));
    throw new Error("broken");
  });
  await expect(async () => {
    for await (const one of work) seen.push(one);
  }).rejects.toThrow("broken");
  expect(seen).toEqual([event("1")]);
});

test("a consumer that breaks off waits for the work to end, and nothing is left unhandled", async () => {
  let ended = false;
  const work = relay(async (emit) => {
    emit(event("1"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    ended = true;
    throw new Error("nobody listens");
  });
  for await (const _ of work) break;
  expect(ended).toBe(true);
});
