import { describe, expect, test } from "vitest";
import type { Claim } from "./claim.ts";
import { Slots, Ticket, type SlotLimits } from "./slots.ts";

const never = new AbortController().signal;

function slotsFor(limits: Partial<SlotLimits>, clock = { now: () => 0 }): Slots {
  return new Slots({ maxRunning: 1, onLimit: "queue", ...limits }, clock);
}

function claim(own: Partial<Claim> = {}): Claim {
  return { parent: null, priority: 0, type: "t", model: "m", provider: "p", ...own };
}

/** Releases the holders of slots one after the other, and returns their names. */
function servingOrder(tickets: Record<string, Ticket>): string[] {
  const order: string[] = [];
  for (;;) {
    const next = Object.entries(tickets).find(([, ticket]) => ticket.held);
    if (next === undefined) return order;
    order.push(next[0]);
    next[1].release();
  }
}

describe("the order of the line", () => {
  test("grants in the order of asking, and a slot given back goes to the first in line", async () => {
    const slots = slotsFor({});
    const [first, second, third] = [1, 2, 3].map(() => slots.reserve(claim())) as [
      Ticket,
      Ticket,
      Ticket,
    ];
    expect([first.held, second.held, third.held]).toEqual([true, false, false]);
    expect([first.position, second.position, third.position]).toEqual([0, 1, 2]);
    first.release();
    await second.whenHeld(never);
    expect([second.held, third.held, third.position]).toEqual([true, false, 1]);
  });

  test("a higher priority goes first, and equal ones in the order of asking", () => {
    const slots = slotsFor({});
    const tickets = {
      running: slots.reserve(claim()),
      low: slots.reserve(claim({ priority: -10 })),
      normal: slots.reserve(claim()),
      high: slots.reserve(claim({ priority: 10 })),
      second: slots.reserve(claim({ priority: 10 })),
    };
    expect([tickets.low, tickets.normal, tickets.high].map(({ position }) => position)).toEqual([
      4, 3, 1,
    ]);
    expect(servingOrder(tickets)).toEqual(["running", "high", "second", "normal", "low"]);
  });

  test("parents take turns, so the one with many agents does not keep the others waiting", () => {
    const slots = slotsFor({});
    const tickets: Record<string, Ticket> = {};
    for (const name of ["a1", "a2", "a3", "a4", "b1", "b2", "c1"])
      tickets[name] = slots.reserve(claim({ parent: name[0] as string }));
    expect(servingOrder(tickets)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  test("of two parents the one with fewer slots goes first, even if it had one just now", () => {
    const slots = slotsFor({ maxRunning: 3 });
    const [a1, a2, b1] = [
      slots.reserve(claim({ parent: "a" })),
      slots.reserve(claim({ parent: "a" })),
      slots.reserve(claim({ parent: "b" })),
    ];
    const a3 = slots.reserve(claim({ parent: "a" }));
    const b2 = slots.reserve(claim({ parent: "b" }));
    b1.release();
    expect([a3.held, b2.held]).toEqual([false, true]);
    a1.release();
    expect([a2.held, a3.held, b2.held]).toEqual([true, true, true]);
  });

  test("parents that come anew each time do not starve one that has been in line all along", () => {
    const slots = slotsFor({});
    let running = slots.reserve(claim({ parent: "patient" }));
    const patient = slots.reserve(claim({ parent: "patient" }));
    for (const parent of ["x", "y", "x", "y"]) {
      const next = slots.reserve(claim({ parent }));
      running.release();
      running = next;
      if (patient.held) break;
    }
    expect(patient.held).toBe(true);
  });

  test("an agent that wakes comes before agents that never ran, whatever their priority", async () => {
    const slots = slotsFor({});
    const parent = slots.reserve(claim({ priority: -10 }));
    parent.lend();
    const child = slots.reserve(claim());
    const stranger = slots.reserve(claim({ priority: 1000 }));
    expect([child.held, stranger.held]).toEqual([true, false]);
    const back = parent.reclaim(never);
    expect([parent.position, stranger.position]).toEqual([1, 2]);
    child.release();
    await back;
    expect([parent.held, stranger.held]).toEqual([true, false]);
  });

  test("those who go ahead because it is their parent's turn do not count against the patience with priorities", () => {
    const slots = slotsFor({ maxRunning: 2 });
    const long = slots.reserve(claim({ parent: "a" }));
    let running = slots.reserve(claim({ parent: "b" }));
    const oldest = slots.reserve(claim({ parent: "a" }));
    for (let count = 0; count < 15; count += 1) {
      const next = slots.reserve(claim({ parent: `p${count}` }));
      running.release();
      running = next;
    }
    expect([long.held, running.held, oldest.held]).toEqual([true, true, false]);
    const high = slots.reserve(claim({ parent: "z", priority: 10 }));
    running.release();
    expect([high.held, oldest.held]).toEqual([true, false]);
  });

  test("after ten of a higher priority the one that waits longest goes, and then again", () => {
    const slots = slotsFor({});
    let running = slots.reserve(claim());
    const low = [1, 2].map(() => slots.reserve(claim({ priority: -10 })));
    const servedAfter: number[] = [];
    for (let count = 0; count < 30 && servedAfter.length < 2; count += 1) {
      const next = slots.reserve(claim({ priority: 10 }));
      running.release();
      running = [next, ...low].find(({ held }) => held) as Ticket;
      if (running === next) continue;
      servedAfter.push(count);
      running.release();
      running = next;
    }
    expect(servedAfter).toEqual([10, 20]);
  });
});

describe("limits of some agents", () => {
  test("who waits for the limit of its type is in nobody's way", () => {
    const slots = slotsFor({ maxRunning: 3, perType: { Explore: 1 } });
    const [first, second] = [claim({ type: "Explore" }), claim({ type: "Explore" })].map((one) =>
      slots.reserve(one),
    ) as [Ticket, Ticket];
    const other = slots.reserve(claim({ type: "Plan" }));
    expect([first.held, second.held, other.held]).toEqual([true, false, true]);
    first.release();
    expect(second.held).toBe(true);
  });

  test("models and providers are limited in the same way, and all limits of an agent count", () => {
    const slots = slotsFor({ maxRunning: 9, perModel: { big: 1 }, perProvider: { ours: 2 } });
    const reserve = (model: string, provider: string): Ticket =>
      slots.reserve(claim({ model, provider }));
    const tickets = [
      reserve("big", "ours"),
      reserve("big", "theirs"),
      reserve("small", "ours"),
      reserve("small", "ours"),
      reserve("small", "theirs"),
    ];
    expect(tickets.map(({ held }) => held)).toEqual([true, false, true, false, true]);
    tickets[0]?.release();
    expect(tickets.map(({ held }) => held)).toEqual([false, true, true, true, true]);
  });

  test("one that wakes needs room under the limit of its type again", async () => {
    const slots = slotsFor({ maxRunning: 5, perType: { t: 1 } });
    const parent = slots.reserve(claim());
    parent.lend();
    const child = slots.reserve(claim());
    const back = parent.reclaim(never);
    expect([parent.held, child.held]).toEqual([false, true]);
    child.release();
    await back;
    expect(parent.held).toBe(true);
  });

  test("names that every object has are names like others", () => {
    const slots = slotsFor({ maxRunning: 5, perType: { constructor: 1 } });
    const tickets = ["toString", "toString", "constructor", "constructor"].map((type) =>
      slots.reserve(claim({ type })),
    );
    expect(tickets.map(({ held }) => held)).toEqual([true, true, true, false]);
  });
});

describe("refusing instead of waiting", () => {
  test("reject refuses what would have to wait, and takes what need not", () => {
    const slots = slotsFor({ onLimit: "reject" });
    const ticket = slots.reserve(claim());
    expect(() => slots.reserve(claim())).toThrow(
      "max concurrent agents reached (1). Do not retry; wait for a running agent to end.",
    );
    ticket.release();
    expect(slots.reserve(claim()).held).toBe(true);
  });

  test("the refusal names the limit that is full", () => {
    const refusal = (limits: Partial<SlotLimits>): (() => Ticket) => {
      const slots = slotsFor({ maxRunning: 9, onLimit: "reject", ...limits });
      slots.reserve(claim());
      return () => slots.reserve(claim());
    };
    expect(refusal({ perType: { t: 1 } })).toThrow("max concurrent agents of type 't' reached (1)");
    expect(refusal({ perModel: { m: 1 } })).toThrow("agents on model 'm' reached (1)");
    expect(refusal({ perProvider: { p: 1 } })).toThrow("agents with provider 'p' reached (1)");
  });
});

describe("capacity", () => {
  test("tells what runs, stands in line, waits and is free, and since when", async () => {
    let time = 1000;
    const slots = slotsFor({ maxRunning: 2, perType: { Explore: 1 } }, { now: () => time });
    expect(slots.capacity()).toMatchObject({ running: 0, queued: 0, free: 2, oldestWaitMs: 0 });
    const parent = slots.reserve(claim({ type: "Explore" }));
    parent.lend();
    const child = slots.reserve(claim({ type: "Explore" }));
    time = 1500;
    const queued = slots.reserve(claim({ type: "Explore" }));
    slots.reserve(claim());
    slots.reserve(claim());
    time = 1700;
    const back = parent.reclaim(never);
    time = 2000;
    const session = { running: 2, queued: 2, waiting: 1, limit: 2, free: 0, oldestWaitMs: 500 };
    const explore = { running: 1, queued: 1, waiting: 1, limit: 1, free: 0, oldestWaitMs: 500 };
    expect(slots.capacity()).toEqual({
      ...session,
      byType: { Explore: explore },
      byModel: {},
      byProvider: {},
    });
    queued.release();
    expect(slots.capacity().byType["Explore"]).toMatchObject({ queued: 0, oldestWaitMs: 300 });
    child.release();
    await back;
    expect(slots.capacity().byType["Explore"]).toMatchObject({ running: 1, waiting: 0 });
  });

  test("those that have ended are in no figure", () => {
    const slots = slotsFor({ maxRunning: 2 });
    const tickets = [1, 2, 3].map(() => slots.reserve(claim()));
    tickets[0]?.lend();
    for (const ticket of tickets) ticket.release();
    expect(slots.capacity()).toMatchObject({ running: 0, queued: 0, waiting: 0, free: 2 });
  });
});

describe("a ticket", () => {
  test("leaving the line by an abort frees nothing that was not held", async () => {
    const slots = slotsFor({});
    const held = slots.reserve(claim());
    const waiting = slots.reserve(claim());
    const abort = new AbortController();
    const wait = waiting.whenHeld(abort.signal);
    abort.abort(new Error("enough"));
    expect(slots.capacity()).toMatchObject({ running: 1, queued: 0 });
    await expect(wait).rejects.toThrow("enough");
    expect(held.held).toBe(true);
  });

  test("asked for with a signal that was aborted before, it leaves the line too", async () => {
    const slots = slotsFor({});
    slots.reserve(claim());
    await expect(slots.reserve(claim()).whenHeld(AbortSignal.abort("late"))).rejects.toBe("late");
    expect(slots.capacity().queued).toBe(0);
  });

  test("released twice it gives back one slot, and it is not claimed again after that", async () => {
    const slots = slotsFor({ maxRunning: 2 });
    const ticket = slots.reserve(claim());
    slots.reserve(claim());
    ticket.release();
    ticket.release();
    ticket.lend();
    await ticket.reclaim(never);
    expect(slots.capacity()).toMatchObject({ running: 1, waiting: 0 });
  });

  test("claimed again while it is held it takes no second slot", async () => {
    const slots = slotsFor({ maxRunning: 2 });
    const ticket = slots.reserve(claim());
    await ticket.reclaim(never);
    expect(slots.capacity().running).toBe(1);
  });

  test("without slots it is always held: the main agent takes none", async () => {
    const ticket = new Ticket(null);
    ticket.lend();
    await ticket.reclaim(never);
    expect([ticket.held, ticket.position]).toEqual([true, 0]);
    ticket.release();
    expect(ticket.held).toBe(true);
  });
});
