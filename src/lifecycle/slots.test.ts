import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Slots, Ticket } from "./slots.ts";

const never = new AbortController().signal;

describe("Slots", () => {
  test("grants in the order of asking, and a slot given back goes to the first in line", async () => {
    const slots = new Slots({ limit: 1, onLimit: "queue" });
    const [first, second, third] = [slots.reserve(), slots.reserve(), slots.reserve()];
    expect([first.held, second.held, third.held]).toEqual([true, false, false]);
    expect([second.position, third.position]).toEqual([1, 2]);
    first.release();
    await second.whenHeld(never);
    expect([second.held, third.held, third.position]).toEqual([true, false, 1]);
  });

  test("an agent that wakes comes before agents that never ran", async () => {
    const slots = new Slots({ limit: 1, onLimit: "queue" });
    const parent = slots.reserve();
    parent.lend();
    const child = slots.reserve();
    const stranger = slots.reserve();
    expect([child.held, stranger.held]).toEqual([true, false]);
    const back = parent.reclaim(never);
    child.release();
    await back;
    expect([parent.held, stranger.held]).toEqual([true, false]);
  });

  test("leaving the line by an abort frees nothing that was not held", async () => {
    const slots = new Slots({ limit: 1, onLimit: "queue" });
    const held = slots.reserve();
    const waiting = slots.reserve();
    const abort = new AbortController();
    const wait = waiting.whenHeld(abort.signal);
    abort.abort(new Error("enough"));
    await expect(wait).rejects.toThrow("enough");
    expect([slots.held, slots.queued, held.held]).toEqual([1, 0, true]);
  });

  test("releasing twice gives back one slot", () => {
    const slots = new Slots({ limit: 2, onLimit: "queue" });
    const ticket = slots.reserve();
    ticket.release();
    ticket.release();
    expect(slots.held).toBe(0);
  });

  test("a ticket without slots is always held: the main agent takes none", async () => {
    const ticket = new Ticket(null);
    ticket.lend();
    await ticket.reclaim(never);
    expect([ticket.held, ticket.position]).toEqual([true, 0]);
    ticket.release();
  });

  test("reject refuses what would have to wait", () => {
    const slots = new Slots({ limit: 1, onLimit: "reject" });
    const ticket = slots.reserve();
    expect(() => slots.reserve()).toThrow(/max concurrent agents reached \(1\)/);
    ticket.release();
    expect(slots.reserve().held).toBe(true);
  });

  test("whatever happens in whatever order, the limit holds and no free slot is left while somebody waits", async () => {
    const action = fc.record({
      kind: fc.constantFrom("reserve", "release", "lend", "reclaim", "abort"),
      pick: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(action, { maxLength: 60 }),
        async (limit, actions) => {
          const slots = new Slots({ limit, onLimit: "queue" });
          const tickets: { ticket: Ticket; lent: boolean }[] = [];
          for (const { kind, pick } of actions) {
            const chosen = tickets[pick % Math.max(1, tickets.length)];
            if (kind === "reserve" || chosen === undefined)
              tickets.push({ ticket: slots.reserve(), lent: false });
            else if (kind === "release") chosen.ticket.release();
            else if (kind === "lend" && chosen.ticket.held) {
              chosen.ticket.lend();
              chosen.lent = true;
            } else if (kind === "reclaim" && chosen.lent) {
              chosen.lent = false;
              void chosen.ticket.reclaim(never);
            } else if (kind === "abort" && !chosen.ticket.held && !chosen.lent) {
              await chosen.ticket.whenHeld(AbortSignal.abort()).catch(() => undefined);
            }
            const held = tickets.filter(({ ticket }) => ticket.held).length;
            expect(slots.held).toBe(held);
            expect(held).toBeLessThanOrEqual(limit);
            if (slots.queued > 0) expect(held).toBe(limit);
          }
        },
      ),
    );
  });
});
