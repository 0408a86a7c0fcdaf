import { expect, test } from "vitest";
import { setStage, type Stage } from "./support/stage.ts";

const reading = `
turns:
  - agent: main
    turn: 1
    reply:
      - { call: Agent, input: { description: a, prompt: child a, subagent_type: general-purpose } }
      - { call: Agent, input: { description: b, prompt: child b, subagent_type: general-purpose } }
  - { agent: main, turn: 2, reply: done }
  - { turn: 1, usage: { input: 10, output: 1 }, reply: [{ call: Read, input: { file_path: note.txt } }] }
  - { turn: 2, usage: { input: 20, output: 2 }, reply: "read by {{ prompt }}" }
`;

async function runAgents({ manager }: Stage, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const subagent_type = number % 2 === 0 ? "Explore" : "Plan";
      const { id } = await manager.spawn({ prompt: `agent ${number}`, subagent_type });
      await manager.output(id, { block: true });
      return id;
    }),
  );
}

test("everything about a thousand agents that have ended can still be asked", async () => {
  const stage = setStage(reading, {
    files: { "note.txt": "a note" },
    allowedTools: ["Agent"],
    limits: { maxRunning: 20 },
  });
  const { manager } = stage;
  const main = await manager.main({ prompt: "go" });
  await manager.output(main.id, { block: true });
  const family = manager.totals(main.id);
  const spawned = await manager.spawn({ prompt: "agent 0", subagent_type: "Explore" });
  const first = spawned.id;
  const output = await manager.output(first, { block: true });
  await runAgents(stage, 1005);

  const { id, type, description, model, modelFrom, sessionId, depth } = spawned;
  const same = { id, type, description, model, modelFrom, sessionId, depth };
  expect(manager.get(first)).toMatchObject({ ...same, state: "completed", usage: { input: 30 } });
  expect(output).toMatchObject(await manager.output(first, { block: true }));
  expect(await manager.stop(first)).toMatchObject({ id: first, state: "completed" });
  await expect(manager.process(first, "more")).rejects.toMatchObject({ code: "agent_busy" });
  await expect(manager.send(first, "more")).rejects.toMatchObject({ code: "agent_ended" });
  await expect(manager.background(first)).rejects.toMatchObject({ code: "agent_ended" });
  await expect(manager.main({ prompt: "again" })).rejects.toMatchObject({
    code: "invalid_request",
  });

  const rows = manager.list({ all: true });
  expect(new Set(rows.map(({ id }) => id)).size).toBe(1009);
  expect(rows).toHaveLength(1009);
  expect(manager.list()).toEqual([]);
  expect(manager.count()).toBe(0);
  expect(family).toMatchObject({ agents: 3 });
  expect(manager.totals(main.id)).toEqual(family);
  expect(manager.totals(first)).toMatchObject({ agents: 1, usage: { input: 30, output: 3 } });
  expect(manager.totals()).toMatchObject({
    agents: 1009,
    byType: {
      main: { agents: 1 },
      "general-purpose": { agents: 2, usage: { input: 60, output: 6 } },
      Explore: { agents: 504, usage: { input: 30 * 504, output: 3 * 504 } },
      Plan: { agents: 502, usage: { input: 30 * 502, output: 3 * 502 } },
    },
  });
});

test("readers of events that are slow or never read stall nobody, and hear how much they missed", async () => {
  const { manager, events } = setStage(reading, {
    files: { "note.txt": "a note" },
    limits: { maxRunning: 50 },
  });
  const dead = manager.events({ limit: 100 });
  const unread = Array.from({ length: 20 }, () => manager.events({ limit: 10 }));
  const slow = manager.events({ limit: 100 });
  const never = slow.next().then(() => new Promise<never>(() => undefined));

  const rows = await Promise.all(
    Array.from({ length: 200 }, (_, number) => manager.spawn({ prompt: `agent ${number}` })),
  );
  const outputs = await Promise.all(rows.map(({ id }) => manager.output(id, { block: true })));

  expect(outputs.filter(({ state }) => state === "completed")).toHaveLength(200);
  expect(events.filter(({ type }) => type === "agent-end")).toHaveLength(200);
  expect(dead.dropped).toBeGreaterThan(events.length - 101);
  expect(slow.dropped).toBeGreaterThan(events.length - 102);
  for (const stream of unread) expect(stream.dropped).toBeGreaterThan(events.length - 11);
  void never;
  const left: typeof events = [];
  for await (const event of dead) {
    left.push(event);
    if (left.length + dead.dropped === events.length) break;
  }
  const whole = (all: typeof events): typeof events =>
    all.filter(({ type }) => type !== "text-delta");
  expect(whole(left)).toEqual(whole(events).slice(-whole(left).length));
});
