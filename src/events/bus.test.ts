import { describe, expect, test } from "vitest";
import type { AgentId, SessionId } from "../contract/ids.ts";
import { EventBus } from "./bus.ts";
import type { AgentEvent, AgentEventBody } from "./event.ts";

function event(body: AgentEventBody): AgentEvent {
  return { agentId: "a1" as AgentId, sessionId: "s" as SessionId, at: 0, ...body };
}
const piece = event({ type: "text-delta", text: "x" });
const turn = (number: number): AgentEvent =>
  event({ type: "turn-start", turn: number, wrapUp: false });

describe("EventBus", () => {
  test("gives every reader every event in order, and ends them when it closes", async () => {
    const bus = new EventBus();
    const [first, second] = [bus.subscribe(), bus.subscribe()];
    for (const number of [1, 2, 3]) bus.publish(turn(number));
    bus.close();
    expect(await Array.fromAsync(first)).toEqual([turn(1), turn(2), turn(3)]);
    expect(await Array.fromAsync(second)).toHaveLength(3);
    expect(await Array.fromAsync(bus.subscribe())).toEqual([]);
  });

  test("a slow reader loses pieces of text first, then its oldest events, and can count them", async () => {
    const bus = new EventBus();
    const slow = bus.subscribe({ limit: 10 });
    for (let number = 1; number <= 5; number += 1) {
      bus.publish(turn(number));
      bus.publish(piece);
    }
    bus.publish(turn(6));
    expect(slow.dropped).toBe(5);
    for (let number = 7; number <= 20; number += 1) bus.publish(turn(number));
    bus.close();
    const seen = await Array.fromAsync(slow);
    expect(seen.at(-1)).toEqual(turn(20));
    expect(seen.length).toBeLessThanOrEqual(10);
    expect(seen.length + slow.dropped).toBe(25);
  });

  test("a reader that breaks off or whose signal aborts is forgotten", async () => {
    const bus = new EventBus();
    const abort = new AbortController();
    const aborted = bus.subscribe({ signal: abort.signal });
    const broken = bus.subscribe();
    bus.publish(turn(1));
    for await (const _ of broken) break;
    abort.abort();
    expect(bus.readers).toBe(0);
    expect(await Array.fromAsync(aborted)).toEqual([turn(1)]);
  });

  test("a signal that is aborted already ends the stream at once", async () => {
    expect(
      await Array.fromAsync(new EventBus().subscribe({ signal: AbortSignal.abort() })),
    ).toEqual([]);
  });

  test("several that wait on one stream are all served", async () => {
    const bus = new EventBus();
    const stream = bus.subscribe();
    const waiting = [stream.next(), stream.next()];
    bus.publish(turn(1));
    bus.publish(turn(2));
    expect((await Promise.all(waiting)).map(({ value }) => value)).toEqual([turn(1), turn(2)]);
  });
});

test("a reader that wants only some types gets only those", async () => {
  const bus = new EventBus();
  const stream = bus.subscribe({ types: ["turn-start"] });
  bus.publish(piece);
  bus.publish(turn(1));
  bus.close();
  expect(await Array.fromAsync(stream)).toEqual([turn(1)]);
});
