import { totalOf } from "../src/events/agent-record.ts";
import { expect, test } from "vitest";
import { findAgents } from "../src/transcript/agent-on-disk.ts";
import { setStage, type Stage } from "./support/stage.ts";
import { unscripted } from "./support/unscripted.ts";

const prices = {
  big: { input: 10, output: 0, cacheRead: 0, cacheWrite: 0 },
  small: { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 },
};

/** Main agent: 1 + 2 million tokens; two children: 3 and 4 million. */
const work = `
turns:
  - agent: main
    turn: 1
    usage: { input: 1000000 }
    reply:
      - { call: Agent, input: { description: a, prompt: a, subagent_type: Explore, model: small } }
      - { call: Agent, input: { description: b, prompt: b, subagent_type: Plan, model: small } }
  - { agent: main, turn: 2, usage: { input: 2000000 }, reply: done }
  - { agent: Explore, usage: { input: 3000000 }, reply: a }
  - { agent: Plan, usage: { input: 4000000 }, reply: b }
`;

async function runMain(known: Partial<typeof prices>): Promise<Stage & { id: string }> {
  const settings = { prices: known };
  const stage = setStage("turns: [{ reply: unused }]", {
    model: unscripted(work),
    settings,
    allowedTools: ["Agent"],
  });
  const { id } = await stage.manager.main({ prompt: "go", model: "big" });
  await stage.manager.output(id, { block: true });
  return { ...stage, id };
}

async function costOnDisk(configDir: string): Promise<number | null | undefined> {
  const [agent] = await findAgents(configDir);
  return agent && totalOf(agent.record).costUsd;
}

test("turn, agent, type and tree: every sum is the sum of its parts", async () => {
  const { manager, events, configDir, id } = await runMain(prices);
  const rows = manager.list({ all: true });
  expect(rows.map(({ type, costUsd }) => [type, costUsd])).toEqual([
    ["main", 30],
    ["Explore", 3],
    ["Plan", 4],
  ]);
  const turns = events.flatMap((event) =>
    event.type === "assistant-message" ? [event.costUsd] : [],
  );
  expect(turns.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([3, 4, 10, 20]);
  expect(manager.totals()).toMatchObject({
    agents: 3,
    costUsd: 37,
    usage: { input: 10_000_000 },
    byType: { main: { costUsd: 30 }, Explore: { agents: 1, costUsd: 3 }, Plan: { costUsd: 4 } },
  });
  expect(manager.totals(id)).toEqual(manager.totals());
  expect(manager.totals(rows[1]?.id)).toMatchObject({ agents: 1, costUsd: 3 });
  expect((await manager.output(id)).metrics).toMatchObject({ costUsd: 30 });
  expect(
    events.flatMap((event) =>
      event.type === "tool-call-end" ? [(event.data as { costUsd: unknown }).costUsd] : [],
    ),
  ).toEqual(expect.arrayContaining([3, 4]));
  const onDisk = await findAgents(configDir);
  const written = onDisk.map(({ record }) => [record.type, totalOf(record).costUsd] as const);
  expect(Object.fromEntries(written)).toEqual({ main: 30, Explore: 3, Plan: 4 });
});

test("what has no price is unknown, and so is every sum with it, while the others are known", async () => {
  const { manager } = await runMain({ big: prices.big });
  expect(manager.list({ all: true }).map(({ costUsd }) => costUsd)).toEqual([30, null, null]);
  expect(manager.totals()).toMatchObject({
    costUsd: null,
    byType: { main: { costUsd: 30 }, Explore: { costUsd: null } },
  });
});

test("a rehearsal costs nothing that could be known, even with a price for its model", async () => {
  const { manager } = setStage("turns: [{ reply: done }]", {
    settings: { prices: { big: prices.big, "rehearsal/big": prices.big } },
  });
  const { id } = await manager.main({ prompt: "go", model: "big" });
  expect((await manager.output(id, { block: true })).metrics).toMatchObject({ costUsd: null });
});

test("a standing agent's cost adds up over its tasks, and stopping it adds nothing", async () => {
  const scenario = "turns: [{ usage: { input: 1000000 }, reply: done, repeat: true }]";
  const { manager, configDir } = setStage("turns: [{ reply: unused }]", {
    model: unscripted(scenario),
    settings: { prices },
  });
  const { id } = await manager.spawn({ subagent_type: "Explore", model: "small" });
  expect(await manager.process(id, "one")).toMatchObject({ costUsd: 1 });
  expect(await manager.process(id, "two")).toMatchObject({ costUsd: 1 });
  expect(await costOnDisk(configDir)).toBe(2);
  expect(await manager.stop(id)).toMatchObject({ costUsd: 2 });
  expect(await costOnDisk(configDir)).toBe(2);
});

test("on disk the cost of an agent that works is that of its answers so far", async () => {
  const scenario = `
turns:
  - { last: one, usage: { input: 1000000 }, reply: done }
  - { last: two, fault: { kind: stall }, reply: never }
`;
  const { manager, configDir } = setStage("turns: [{ reply: unused }]", {
    model: unscripted(scenario),
    settings: { prices },
  });
  const { id } = await manager.spawn({ subagent_type: "Explore", model: "small" });
  await manager.process(id, "one");
  const events = manager.events();
  const second = manager.process(id, "two");
  for await (const { type } of events) if (type === "turn-start") break;
  expect(await costOnDisk(configDir)).toBe(1);
  await manager.stop(id);
  expect(await second).toMatchObject({ costUsd: 0 });
  expect(await costOnDisk(configDir)).toBe(1);
});

test.each([
  [{ big: { input: -1, output: 1 } }, "settings.prices.big.input"],
  [{ big: { input: 1 } }, "settings.prices.big.output"],
  [{ big: { input: 1, output: 1, cacheread: 1 } }, "cacheread"],
])("a price that does not fit is refused and its field is named: %j", (given, field) => {
  expect(() => setStage("turns: [{ reply: x }]", { settings: { prices: given as never } })).toThrow(
    field,
  );
});
