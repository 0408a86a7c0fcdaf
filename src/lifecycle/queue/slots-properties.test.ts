import { expect, test } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import type { Claim } from "./claim.ts";
import { Slots, type Ticket } from "./slots.ts";

const never = new AbortController().signal;
const names = ["a", "b", "c"] as const;

const limits = fc.record({
  maxRunning: fc.integer({ min: 1, max: 4 }),
  perType: fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 1, max: 2 })),
  perModel: fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 1, max: 2 })),
  perProvider: fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 1, max: 2 })),
});
type Limits = typeof limits extends fc.Arbitrary<infer Value> ? Value : never;

const claim: fc.Arbitrary<Claim> = fc.record({
  parent: fc.constantFrom(null, "p", "q", "r"),
  priority: fc.constantFrom(-10, 0, 0, 0, 10),
  type: fc.constantFrom(...names),
  model: fc.constantFrom(...names),
  provider: fc.constantFrom(...names),
});

const action = fc.record({
  kind: fc.constantFrom("reserve", "reserve", "reserve", "release", "lend", "reclaim", "abort"),
  pick: fc.nat(1000),
  claim,
});

/** One agent as the rules see it, without any cleverness: every question is answered by looking at all of them. */
interface Agent {
  ticket: Ticket;
  claim: Claim;
  standing: "queued" | "waking" | "held" | "lent" | "outside";
  arrival: number;
}

class PlainRules {
  readonly agents: Agent[] = [];
  readonly #limits: Limits;
  readonly #turns = new Map<string | null, number>();
  #time = 0;
  #passes = 0;

  constructor(of: Limits) {
    this.#limits = of;
  }

  move(agent: Agent, to: Agent["standing"]): void {
    const { parent } = agent.claim;
    if (!this.#isKnown(parent)) this.#turns.set(parent, (this.#time += 1));
    if (agent.standing === "held") this.#turns.set(parent, (this.#time += 1));
    agent.standing = to;
    if (to === "held") this.#turns.set(parent, (this.#time += 1));
    if (to === "queued" || to === "waking") agent.arrival = this.#time += 1;
    if (to === "held") return;
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.move(next, "held");
  }

  canRun({ claim: own }: Agent): boolean {
    const holding = (is: (other: Claim) => boolean): number =>
      this.agents.filter((agent) => agent.standing === "held" && is(agent.claim)).length;
    const { maxRunning, perType, perModel, perProvider } = this.#limits;
    return (
      holding(() => true) < maxRunning &&
      holding(({ type }) => type === own.type) < (perType[own.type] ?? Infinity) &&
      holding(({ model }) => model === own.model) < (perModel[own.model] ?? Infinity) &&
      holding(({ provider }) => provider === own.provider) < (perProvider[own.provider] ?? Infinity)
    );
  }

  #isKnown(parent: string | null): boolean {
    return this.agents.some(
      (agent) =>
        agent.claim.parent === parent && agent.standing !== "outside" && agent.standing !== "lent",
    );
  }

  #next(): Agent | undefined {
    const able = this.agents.filter((one) => isInLine(one) && this.canRun(one));
    const [first] = able.toSorted((one, other) => this.#compare(one, other));
    const [oldest] = able.toSorted((one, other) => one.arrival - other.arrival);
    if (first === undefined || oldest === undefined || first.standing === "waking") return first;
    const outranked = first.claim.priority > oldest.claim.priority;
    const next = outranked && this.#passes === 10 ? oldest : first;
    this.#passes = next === oldest ? 0 : this.#passes + (outranked ? 1 : 0);
    return next;
  }

  #compare(one: Agent, other: Agent): number {
    const rank = ({ standing, claim: { priority } }: Agent): number =>
      standing === "waking" ? 1_000_000 : priority;
    const held = ({ claim: { parent } }: Agent): number =>
      this.agents.filter((agent) => agent.standing === "held" && agent.claim.parent === parent)
        .length;
    const turn = ({ claim: { parent } }: Agent): number => this.#turns.get(parent) ?? 0;
    return (
      rank(other) - rank(one) ||
      held(one) - held(other) ||
      turn(one) - turn(other) ||
      one.arrival - other.arrival
    );
  }
}

const isInLine = ({ standing }: Agent): boolean => standing === "queued" || standing === "waking";

const scene = fc.tuple(limits, fc.array(action, { maxLength: 120, size: "max" }));

/** A line that is never empty and always gets new claimants, until patience with passing ones ends. */
const crowd = fc.tuple(
  fc.constant<Limits>({ maxRunning: 1, perType: { a: 1 }, perModel: {}, perProvider: {} }),
  fc.array(claim, { minLength: 40, maxLength: 80, size: "max" }).map((claims) =>
    claims.flatMap((own, at) => [
      { kind: "reserve", pick: 0, claim: own },
      { kind: at < 10 ? "reserve" : "end", pick: 0, claim: own },
    ]),
  ),
);

/** Plays the same actions on the slots and on the plain rules; `look` is called after each. */
async function play(
  [of, actions]: [Limits, { kind: string; pick: number; claim: Claim }[]],
  look: (rules: PlainRules, slots: Slots) => void,
): Promise<PlainRules> {
  const slots = new Slots({ ...of, onLimit: "queue" }, { now: () => 0 });
  const rules = new PlainRules(of);
  for (const { kind, pick, claim: own } of actions) {
    const fits: Record<string, Agent["standing"][]> = {
      release: ["queued", "waking", "held", "lent"],
      lend: ["held"],
      reclaim: ["lent"],
      abort: ["queued", "waking"],
      end: ["held"],
    };
    const able = rules.agents.filter(({ standing }) => fits[kind]?.includes(standing));
    const chosen = able[pick % Math.max(1, able.length)];
    if (kind === "reserve") {
      const agent: Agent = { ticket: slots.reserve(own), claim: own, standing: "lent", arrival: 0 };
      rules.agents.push(agent);
      rules.move(agent, "queued");
    } else if (chosen !== undefined && (kind === "release" || kind === "end")) {
      chosen.ticket.release();
      rules.move(chosen, "outside");
    } else if (chosen !== undefined && kind === "lend") {
      chosen.ticket.lend();
      rules.move(chosen, "lent");
    } else if (chosen !== undefined && kind === "reclaim") {
      void chosen.ticket.reclaim(never);
      rules.move(chosen, "waking");
    } else if (chosen !== undefined) {
      await chosen.ticket.whenHeld(AbortSignal.abort()).catch(() => undefined);
      rules.move(chosen, "outside");
    }
    look(rules, slots);
  }
  return rules;
}

test("after whatever happens in whatever order, exactly those hold a slot who should by the rules", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (played) => {
      await play(played, ({ agents }) => {
        expect(agents.map(({ ticket }) => ticket.held)).toEqual(
          agents.map(({ standing }) => standing === "held"),
        );
      });
    }),
    { numRuns: 300 },
  );
});

test("in a crowd that never ends everybody is served when the rules say so", async () => {
  await fc.assert(
    fc.asyncProperty(crowd, async (played) => {
      await play(played, ({ agents }) => {
        expect(agents.findLastIndex(({ ticket }) => ticket.held)).toBe(
          agents.findLastIndex(({ standing }) => standing === "held"),
        );
      });
    }),
  );
});

test("no limit is ever exceeded, nobody waits who could run, and the figures are those of the agents", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (played) => {
      const [of] = played;
      await play(played, (rules, slots) => {
        const { agents } = rules;
        const capacity = slots.capacity();
        const count = (...standings: string[]): number =>
          agents.filter(({ standing }) => standings.includes(standing)).length;
        expect(capacity).toMatchObject({
          running: agents.filter(({ ticket }) => ticket.held).length,
          queued: count("queued"),
          waiting: count("waking", "lent"),
        });
        expect(capacity.running).toBeLessThanOrEqual(of.maxRunning);
        for (const [kind, key] of [
          ["byType", "type"],
          ["byModel", "model"],
          ["byProvider", "provider"],
        ] as const)
          for (const [name, room] of Object.entries(capacity[kind])) {
            const held = agents.filter(
              ({ ticket, claim: own }) => ticket.held && own[key] === name,
            ).length;
            expect(room.running).toBe(held);
            expect(room.running).toBeLessThanOrEqual(room.limit);
          }
        for (const agent of agents) if (isInLine(agent)) expect(rules.canRun(agent)).toBe(false);
      });
    }),
  );
});

test("when those that hold slots end one after the other, everybody in line is served", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (played) => {
      const { agents } = await play(played, () => undefined);
      const open = new Set(agents.filter((agent) => isInLine(agent) || agent.ticket.held));
      for (const agent of agents) if (agent.standing === "lent") agent.ticket.release();
      while (open.size > 0) {
        const held = [...open].find(({ ticket }) => ticket.held);
        expect(held, `${open.size} wait and nobody runs`).toBeDefined();
        if (held === undefined) return;
        held.ticket.release();
        open.delete(held);
      }
    }),
  );
});

test("ten thousand in line from as many parents enter, leave and are served", () => {
  const slots = new Slots(
    { maxRunning: 100, onLimit: "queue", perType: { a: 30, b: 30 } },
    { now: () => 0 },
  );
  const tickets = Array.from({ length: 10_000 }, (_, index) =>
    slots.reserve({
      parent: `p${index % 7 === 0 ? 0 : index}`,
      priority: (index % 5) * 10,
      type: names[index % 3] as string,
      model: "m",
      provider: "p",
    }),
  );
  expect(tickets.every(({ held, position }) => held || position > 0)).toBe(true);
  const [leaving, staying] = [tickets.slice(0, 4000), tickets.slice(4000)];
  for (const ticket of leaving.toReversed()) ticket.release();
  expect(slots.capacity()).toMatchObject({ running: 100, queued: 5900 });
  let held = staying.filter((ticket) => ticket.held);
  let served = 0;
  while (held.length > 0) {
    for (const ticket of held) ticket.release();
    served += held.length;
    held = staying.filter((ticket) => ticket.held);
  }
  expect(served).toBe(6000);
  expect(slots.capacity()).toMatchObject({ running: 0, queued: 0 });
});
