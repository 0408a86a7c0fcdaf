import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRehearsal, parseScenario, type Model, type ModelRequest } from "../src/index.ts";
import { setStage, type Stage } from "./support/stage.ts";
import { quiet } from "./support/quiet-agent.ts";
import { until } from "./support/until.ts";

const boss = { description: "has others work", prompt: "You lead.", tools: ["Bash", "Agent"] };
const options = {
  agents: { quiet, boss },
  allowedTools: ["Bash", "Agent"],
  limits: { maxRunning: 20, maxSpawnDepth: 3 },
};
const hold = `{ call: Bash, input: { command: "until [ -e go ]; do sleep 0.02; done" } }`;
const usage = "usage: { input: 100, output: 10 }";

const family = `
turns:
  - { agent: main, turn: 1, ${usage}, reply: [{ call: Agent, input: { description: d, prompt: lead, subagent_type: boss } }] }
  - { agent: main, turn: 2, ${usage}, reply: done }
  - { agent: boss, turn: 1, ${usage}, reply: [{ call: Agent, input: { description: d, prompt: work, subagent_type: quiet } }] }
  - { agent: boss, turn: 2, ${usage}, reply: led }
  - { agent: boss, turn: 3, ${usage}, reply: [${hold}] }
  - { agent: boss, turn: 4, ${usage}, reply: led again }
  - { agent: quiet, turn: 1, ${usage}, reply: worked }
  - { agent: quiet, turn: 2, ${usage}, reply: [${hold}] }
  - { agent: quiet, turn: 3, ${usage}, reply: worked again }
`;

async function runFamily(): Promise<Stage & { main: string; lead: string; worker: string }> {
  const stage = setStage(family, options);
  const { manager } = stage;
  const main = await manager.main({ prompt: "go" });
  expect(await manager.output(main.id, { block: true })).toMatchObject({ state: "completed" });
  const rows = manager.list({ all: true });
  const idOf = (type: string): string => rows.find((row) => row.type === type)?.id ?? "";
  return { ...stage, main: main.id, lead: idOf("boss"), worker: idOf("quiet") };
}

/** Until it waits for the file `go`. */
async function untilHeld({ events }: Stage, id: string): Promise<void> {
  await until(() => {
    const last = events.findLast(({ agentId }) => agentId === id);
    expect(last).toMatchObject({ type: "tool-call-start" });
  });
}

test("the totals of a resumed agent include its children that have ended", async () => {
  const stage = await runFamily();
  const { manager, cwd, lead } = stage;
  expect(manager.totals(lead)).toMatchObject({ agents: 2, usage: { input: 300 } });
  await manager.resume(lead, { prompt: "again" });
  await untilHeld(stage, lead);
  expect(manager.totals(lead)).toMatchObject({ agents: 2, usage: { input: 400 } });
  writeFileSync(join(cwd, "go"), "");
  await manager.output(lead, { block: true });
  expect(manager.totals(lead)).toMatchObject({ agents: 2, usage: { input: 500 } });
});

test("what is below the main agent includes an agent that goes on without its parent", async () => {
  const stage = await runFamily();
  const { manager, cwd, main, worker } = stage;
  expect(manager.totals(main)).toEqual(manager.totals());
  await manager.resume(worker, { prompt: "again" });
  await untilHeld(stage, worker);
  expect(manager.totals()).toMatchObject({ agents: 3, usage: { input: 600 } });
  expect(manager.totals(main)).toEqual(manager.totals());
  writeFileSync(join(cwd, "go"), "");
  await manager.output(worker, { block: true });
  expect(manager.totals()).toMatchObject({ agents: 3, usage: { input: 700 } });
  expect(manager.totals(main)).toEqual(manager.totals());
  await manager.remove(worker);
  expect(manager.totals()).toMatchObject({ agents: 2, usage: { input: 400 } });
  expect(manager.totals(main)).toEqual(manager.totals());
});

test("what is below a parent that came back after its child includes the child", async () => {
  const stage = await runFamily();
  const { manager, cwd, lead, worker } = stage;
  await manager.resume(worker, { prompt: "again" });
  await untilHeld(stage, worker);
  await manager.resume(lead, { prompt: "again" });
  await untilHeld(stage, lead);
  expect(manager.totals(lead)).toMatchObject({ agents: 2, usage: { input: 500 } });
  writeFileSync(join(cwd, "go"), "");
  await Promise.all([lead, worker].map((id) => manager.output(id, { block: true })));
  expect(manager.totals(lead)).toMatchObject({ agents: 2, usage: { input: 700 } });
  expect(manager.totals()).toMatchObject({ agents: 3, usage: { input: 900 } });
});

test("an agent whose resumption is refused stays ended and counts once", async () => {
  const stage = setStage(family, {
    ...options,
    limits: { maxRunning: 1, onLimit: "reject" as const },
  });
  const { manager, cwd } = stage;
  const ended = await manager.spawn({ prompt: "work", subagent_type: "quiet" });
  await manager.output(ended.id, { block: true });
  const other = await manager.spawn({ prompt: "work", subagent_type: "quiet" });
  await manager.output(other.id, { block: true });
  await manager.resume(other.id, { prompt: "again" });
  await untilHeld(stage, other.id);
  const totals = manager.totals();
  await expect(manager.resume(ended.id, { prompt: "again" })).rejects.toMatchObject({
    code: "limit_reached",
  });
  expect(manager.totals()).toEqual(totals);
  expect(manager.get(ended.id)).toMatchObject({ state: "completed" });
  writeFileSync(join(cwd, "go"), "");
});

test("parents are listed before their children, also by a clock that was set back", async () => {
  let time = 5_000_000;
  const { manager } = setStage(family, { ...options, clock: { now: () => (time -= 10) } });
  const main = await manager.main({ prompt: "go" });
  await manager.output(main.id, { block: true });
  expect(manager.list({ all: true }).map(({ type }) => type)).toEqual(["main", "boss", "quiet"]);
});

test("an agent that went on and said nothing has no result, not that of its earlier task", async () => {
  const stage = setStage(family, options);
  const { manager } = stage;
  const { id } = await manager.spawn({ prompt: "work", subagent_type: "quiet" });
  expect(await manager.output(id, { block: true })).toMatchObject({ content: "worked" });
  await manager.resume(id, { prompt: "again" });
  await untilHeld(stage, id);
  expect(await manager.output(id)).toMatchObject({ content: "" });
  await manager.stop(id);
  expect(await manager.output(id)).toMatchObject({ state: "stopped", content: "" });
});

const standing = `
turns:
  - { agent: boss, turn: 1, reply: [
      { call: Agent, input: { description: d, prompt: first, subagent_type: quiet, run_in_background: true } },
      { call: Agent, input: { description: d, prompt: second, subagent_type: quiet, run_in_background: true } }] }
  - { agent: boss, turn: 2, reply: "cut short" }
  - { agent: boss, turn: 3, reply: "{{ last }}" }
  - { agent: boss, turn: 4, reply: "{{ last }}" }
  - { agent: quiet, task: first, turn: 1, reply: [${hold}] }
  - { agent: quiet, task: first, turn: 2, reply: "gold" }
`;

/** Answers everything but the second child, which waits for an answer until it is ended. */
function partlyDeaf(requests: ModelRequest[]): Model {
  const model = createRehearsal(parseScenario(standing, "scenario.yaml"));
  return {
    ...{ provider: model.provider, scripted: model.scripted },
    async *stream(request, signal) {
      requests.push(structuredClone(request));
      if (!JSON.stringify(request.messages[0]).includes("second"))
        return yield* model.stream(request, signal);
      return await new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    },
  };
}

test("a child that ends while its parent is about to take a task is told of in that task", async () => {
  const requests: ModelRequest[] = [];
  const { manager, cwd } = setStage(standing, { ...options, model: partlyDeaf(requests) });
  const lead = await manager.spawn({ subagent_type: "boss", max_turns: 1 });
  expect(await manager.process(lead.id, "one")).toMatchObject({ state: "failed" });
  const [first, second] = manager.list().filter(({ type }) => type === "quiet");
  writeFileSync(join(cwd, "go"), "");
  await manager.output(first?.id ?? "", { block: true });
  // The files of the first are being read when the second ends.
  const processing = manager.process(lead.id, "two");
  await manager.stop(second?.id ?? "", "not needed");
  await processing;
  const asked = requests.filter(({ origin }) => origin.agentId === lead.id);
  const told = JSON.stringify(asked.at(-1)?.messages);
  for (const child of [first, second]) expect(told).toContain(`<task-id>${child?.id}</task-id>`);
});

test("an agent that never did anything can be asked after its end", async () => {
  const stage = setStage(family, { ...options, limits: { maxRunning: 1 } });
  const { manager, cwd } = stage;
  const idle = await manager.spawn({ subagent_type: "quiet" });
  const busy = await manager.spawn({ prompt: "work", subagent_type: "quiet" });
  await manager.output(busy.id, { block: true });
  await manager.resume(busy.id, { prompt: "again" });
  await untilHeld(stage, busy.id);
  const queued = await manager.spawn({ prompt: "work", subagent_type: "quiet" });
  expect(queued.state).toBe("queued");
  for (const { id } of [idle, queued]) {
    await manager.stop(id, "not needed");
    expect(await manager.output(id)).toMatchObject({ state: "stopped", content: "" });
    expect(await manager.output(id, { block: true })).toMatchObject({ metrics: { turns: 0 } });
    expect(manager.get(id)).toMatchObject({ state: "stopped", usage: { input: 0 }, costUsd: 0 });
  }
  writeFileSync(join(cwd, "go"), "");
});

test("an agent whose last child ends while it is removed is in no sum", async () => {
  const { manager } = setStage(standing, { ...options, model: partlyDeaf([]) });
  const lead = await manager.spawn({ subagent_type: "boss", max_turns: 1 });
  await manager.process(lead.id, "one");
  const [first, second] = manager.list().filter(({ type }) => type === "quiet");
  await manager.stop(first?.id ?? "");
  await manager.stop(lead.id);
  const removing = manager.remove(lead.id);
  await manager.stop(second?.id ?? "");
  await removing;
  expect(manager.list({ all: true })).toHaveLength(2);
  expect(manager.totals()).toMatchObject({ agents: 2, byType: { quiet: { agents: 2 } } });
});
