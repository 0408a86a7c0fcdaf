import { expect, test } from "vitest";
import { createManager, createRehearsal, parseScenario, type Manager } from "../src/index.ts";
import { setStage, type Stage } from "./support/stage.ts";

/** Main, a child and a grandchild; every answer takes ten tokens. */
const nested = `
turns:
  - agent: main
    turn: 1
    usage: { input: 10 }
    reply: [{ call: Agent, input: { description: child, prompt: go, subagent_type: nester } }]
  - agent: nester
    turn: 1
    usage: { input: 10 }
    reply: [{ call: Agent, input: { description: grandchild, prompt: go, subagent_type: Explore } }]
  - { usage: { input: 10 }, reply: done, repeat: true }
`;
const agents = { nester: { description: "Nests", prompt: "You nest.", tools: ["Agent", "Read"] } };
const limits = { maxSpawnDepth: 2 };

async function family(): Promise<Stage & { main: string; child: string; grandchild: string }> {
  const stage = setStage(nested, { agents, limits, allowedTools: ["Agent"] });
  const main = await stage.manager.main({ prompt: "go" });
  await stage.manager.output(main.id, { block: true });
  const [, child, grandchild] = stage.manager.list({ all: true });
  return { ...stage, main: main.id, child: child?.id ?? "", grandchild: grandchild?.id ?? "" };
}

async function goOn(manager: Manager, id: string): Promise<void> {
  await manager.resume(id, { prompt: "again" });
  await manager.output(id, { block: true });
}

function sums(manager: Manager, ids: readonly string[]): [number, number][] {
  return ids.map((id) => {
    const { agents: count, usage } = manager.totals(id);
    return [count, usage.input];
  });
}

test("the totals of an agent and those below it are right while an ended one works again, and after", async () => {
  const { manager, main, child, grandchild } = await family();
  const ids = [main, child, grandchild];
  expect(sums(manager, ids)).toEqual([
    [3, 50],
    [2, 30],
    [1, 10],
  ]);

  await manager.resume(child, { prompt: "again" });
  expect(sums(manager, ids).map(([count]) => count)).toEqual([3, 2, 1]);
  await manager.output(child, { block: true });
  expect(sums(manager, ids)).toEqual([
    [3, 60],
    [2, 40],
    [1, 10],
  ]);

  await goOn(manager, grandchild);
  expect(sums(manager, ids)).toEqual([
    [3, 70],
    [2, 50],
    [1, 20],
  ]);

  await manager.resume(child, { prompt: "again" });
  await goOn(manager, grandchild);
  await manager.output(child, { block: true });
  expect(sums(manager, ids)).toEqual([
    [3, 90],
    [2, 70],
    [1, 30],
  ]);
  expect(manager.totals()).toEqual(manager.totals(main));
});

test("what a removed agent took is in no sum, also when its parent has left memory", async () => {
  const { manager, main, child, grandchild } = await family();
  await manager.remove(grandchild);
  expect(sums(manager, [main, child])).toEqual([
    [2, 40],
    [1, 20],
  ]);
  expect(manager.totals()).toEqual(manager.totals(main));
});

test("agents that are removed and resumed at once are in all sums or in none", async () => {
  const { manager } = setStage("turns: [{ usage: { input: 10 }, reply: done, repeat: true }]");
  const rows = await Promise.all(
    Array.from({ length: 30 }, () => manager.spawn({ subagent_type: "Explore", prompt: "go" })),
  );
  await Promise.all(rows.map(({ id }) => manager.output(id, { block: true })));
  const removing = rows.slice(1).map(({ id }) => manager.remove(id));
  const last = rows.at(-1)?.id ?? "";
  await Promise.allSettled([...removing, goOn(manager, last)]);
  await Promise.all(manager.list().map(({ id }) => manager.output(id, { block: true })));
  const left = manager.list({ all: true });
  const input = left.reduce((sum, { usage }) => sum + usage.input, 0);
  expect(manager.totals()).toMatchObject({ agents: left.length, usage: { input } });
});

test("a session that goes on in another process still knows what was taken below its main agent", async () => {
  const { manager, main, child, cwd, configDir } = await family();
  await manager.close();
  const model = createRehearsal(parseScenario(nested, "scenario.yaml"));
  const session = manager.sessionId;
  await using next = createManager({ model, cwd, configDir, agents, limits, session });
  await goOn(next, main);
  expect(sums(next, [main, child])).toEqual([
    [3, 60],
    [2, 30],
  ]);
});
