import { expect, test } from "vitest";
import type { AgentEvent, ManagerOptions } from "../src/index.ts";
import { sequence, setStage } from "./support/stage.ts";
import { until } from "./support/until.ts";

const sleeping = "turns: [{ reply: [{ call: Bash, input: { command: sleep 300 } }] }]";
const brief =
  "turns: [{ turn: 1, reply: [{ call: Bash, input: { command: sleep 0.05 } }] }, { turn: 2, reply: ok }]";

const chain = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: a, prompt: outer, subagent_type: general-purpose } }] }
  - { agent: main, turn: 2, reply: "main heard: {{ results.1 | line 1 }}" }
  - { task: outer, turn: 1, reply: [{ call: Agent, input: { description: b, prompt: middle, subagent_type: general-purpose } }] }
  - { task: outer, turn: 2, reply: "outer heard: {{ results.1 | line 1 }}" }
  - { task: middle, turn: 1, reply: [{ call: Agent, input: { description: c, prompt: inner, subagent_type: general-purpose } }] }
  - { task: middle, turn: 2, reply: "middle heard: {{ results.1 | line 1 }}" }
  - { task: inner, reply: inner is done }
`;

for (const [what, limits] of Object.entries({
  "of the session": { maxRunning: 1 },
  "of their type": { perType: { "general-purpose": 1 } },
  "of their model": { perModel: { opus: 1 } },
  "of their provider": { perProvider: { rehearsal: 1 } },
  "of everything": {
    maxRunning: 1,
    perType: { "general-purpose": 1 },
    perModel: { opus: 1 },
    perProvider: { rehearsal: 1 },
  },
})) {
  test(`with a limit ${what} of one, a chain of three agents finishes`, async () => {
    const { manager, events } = setStage(chain, {
      allowedTools: ["Agent"],
      settings: { model: "opus" },
      limits: { ...limits, maxSpawnDepth: 3 },
    });
    const main = await manager.main({ prompt: "go" });
    expect(await manager.output(main.id, { block: true })).toMatchObject({
      state: "completed",
      content: "main heard: outer heard: middle heard: inner is done",
    });
    expect(mostAtOnce(events, main.id)).toBe(1);
    expect(manager.capacity()).toMatchObject({ running: 0, queued: 0, waiting: 0 });
    for (const by of ["byType", "byModel", "byProvider"] as const)
      for (const room of Object.values(manager.capacity()[by]))
        expect(room).toMatchObject({ running: 0, queued: 0, waiting: 0, free: 1 });
  });
}

/** Of all agents but `without`: how many ran at the same time, between starting or waking and waiting or ending. */
function mostAtOnce(events: readonly AgentEvent[], without: string): number {
  const running = new Set<string>();
  let most = 0;
  for (const { type, agentId } of events) {
    if (agentId === without) continue;
    if (type === "agent-start" || type === "agent-wake") running.add(agentId);
    if (type === "agent-wait" || type === "agent-end") running.delete(agentId);
    most = Math.max(most, running.size);
  }
  return most;
}

const urgent = "---\nname: urgent\ndescription: d\npriority: high\n---\nYou work.\n";

test("the priority of the call decides, then that of the definition, then it is normal", async () => {
  const { manager, events } = setStage(brief, {
    allowedTools: ["Bash"],
    limits: { maxRunning: 1 },
    files: { ".claude/agents/urgent.md": urgent },
  });
  expect((await manager.explain("urgent")).runs.priority).toBe(10);
  const first = await manager.spawn({ prompt: "first", subagent_type: "Bash" });
  const asked = [
    { prompt: "low", subagent_type: "Bash", priority: "low" },
    { prompt: "normal", subagent_type: "Bash" },
    { prompt: "high by definition", subagent_type: "urgent" },
    { prompt: "higher by call", subagent_type: "Bash", priority: 11 },
    { prompt: "lowest by call", subagent_type: "urgent", priority: -1000 },
  ] as const;
  const agents = await Promise.all(asked.map((request) => manager.spawn(request)));
  await Promise.all(agents.map(({ id }) => manager.output(id, { block: true })));
  const names = new Map(agents.map(({ id, description }) => [String(id), description]));
  const started = events.filter(
    ({ type, agentId }) => type === "agent-start" && agentId !== first.id,
  );
  expect(started.map(({ agentId }) => names.get(agentId))).toEqual([
    "higher by call",
    "high by definition",
    "normal",
    "low",
    "lowest by call",
  ]);
});

test("a priority that cannot be read is reported, and the agent is there without it", async () => {
  const { manager } = setStage("turns: [{ reply: ok }]", {
    files: {
      ".claude/agents/a.md": "---\nname: a\ndescription: d\npriority: soonish\n---\nYou work.\n",
      ".claude/agents/b.md": '---\nname: b\ndescription: d\npriority: "-5"\n---\nYou work.\n',
      ".claude/agents/c.md": "---\nname: c\ndescription: d\npriority: critical\n---\nYou work.\n",
    },
  });
  expect(await manager.diagnostics()).toEqual([
    expect.objectContaining({
      file: expect.stringContaining("a.md") as string,
      code: "invalid",
      field: "priority",
      line: 4,
      message: expect.stringMatching(
        /'priority' is not valid.*a whole number from -1000 to 1000/,
      ) as string,
    }),
  ]);
  await expect(manager.spawn({ prompt: "x", subagent_type: "a" })).resolves.toBeDefined();
  await expect(manager.spawn({ prompt: "x", priority: "soonish" as "low" })).rejects.toMatchObject({
    code: "invalid_request",
  });
});

test("a model cannot say how urgent its children are", async () => {
  const { manager } = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: a, prompt: b, priority: high } }] }
  - { agent: main, turn: 2, reply: "{{ results.1 | line 1 }}" }
`,
    { allowedTools: ["Agent"] },
  );
  const main = await manager.main({ prompt: "go" });
  const { content } = await manager.output(main.id, { block: true });
  expect(content).toContain("priority");
  expect(manager.list({ all: true })).toHaveLength(1);
});

const delegate = (parent: string): string =>
  [1, 2, 3]
    .map((at) => `${parent}${at}`)
    .map(
      (child) =>
        `{ call: Agent, input: { description: ${child}, prompt: child, subagent_type: Bash } }`,
    )
    .join(", ");

test("the children of two parents start in turns", async () => {
  const { manager, events } = setStage(
    `
turns:
  - { task: first parent, turn: 1, reply: [${delegate("a")}] }
  - { task: second parent, turn: 1, reply: [${delegate("b")}] }
  - { task: parent, turn: 2, reply: done }
  - { task: child, reply: ok }
  - { task: hold, reply: [{ call: Bash, input: { command: sleep 300 } }] }
`,
    { allowedTools: ["Agent", "Bash"], limits: { perType: { Bash: 1 }, maxSpawnDepth: 2 } },
  );
  const holder = await manager.spawn({ prompt: "hold", subagent_type: "Bash" });
  const parents = await Promise.all(
    ["first parent", "second parent"].map((prompt) => manager.spawn({ prompt })),
  );
  await until(() => manager.capacity().byType["Bash"]?.queued === 6);
  expect(manager.capacity()).toMatchObject({ running: 1, waiting: 2 });
  await manager.stop(holder.id);
  const outputs = await Promise.all(parents.map(({ id }) => manager.output(id, { block: true })));
  expect(outputs.map(({ content }) => content)).toEqual(["done", "done"]);
  const started = events.flatMap((event) =>
    event.type === "agent-start" && event.agent.depth === 2 ? [event.agent.description] : [],
  );
  const [one, other] = started[0] === "a1" ? ["a", "b"] : ["b", "a"];
  expect(started).toEqual([1, 2, 3].flatMap((at) => [`${one}${at}`, `${other}${at}`]));
});

test("agents of a limited type wait for each other, and others pass them by", async () => {
  const { manager, events } = setStage(sleeping, {
    allowedTools: ["Bash"],
    limits: { maxRunning: 3, perType: { Bash: 1 } },
  });
  const ids: string[] = [];
  for (const subagent_type of ["Bash", "Bash", "general-purpose"])
    ids.push((await manager.spawn({ prompt: "x", subagent_type })).id);
  expect(ids.map((id) => sequence(events, id)[0])).toEqual([
    "agent-start",
    "agent-queued",
    "agent-start",
  ]);
  expect(manager.capacity()).toMatchObject({
    running: 2,
    queued: 1,
    free: 1,
    byType: { Bash: { running: 1, queued: 1, limit: 1, free: 0 } },
  });
  await manager.stop(ids[0] ?? "");
  expect(manager.capacity().byType).toMatchObject({ Bash: { running: 1, queued: 0 } });
});

test("a limit may name a model by its alias", async () => {
  const { manager } = setStage(sleeping, {
    allowedTools: ["Bash"],
    settings: { modelAliases: { quick: "some-model-1" } },
    limits: { perModel: { quick: 2, "some-model-1": 1 } },
  });
  for (const model of ["quick", "some-model-1"])
    await manager.spawn({ prompt: "x", subagent_type: "Bash", model });
  expect(manager.capacity().byModel).toEqual({
    "some-model-1": expect.objectContaining({ running: 1, queued: 1, limit: 1 }) as unknown,
  });
});

const rejections: [limits: ManagerOptions["limits"], message: string][] = [
  [{ maxRunning: 1 }, "max concurrent agents reached (1)"],
  [{ perType: { Bash: 1 } }, "max concurrent agents of type 'Bash' reached (1)"],
  [{ perModel: { m: 1 } }, "max concurrent agents on model 'm' reached (1)"],
  [
    { perProvider: { rehearsal: 1 } },
    "max concurrent agents with provider 'rehearsal' reached (1)",
  ],
];

test.each(rejections)("a refusal names its limit: %o", async (limits, message) => {
  const { manager } = setStage(sleeping, {
    allowedTools: ["Bash"],
    limits: { ...limits, onLimit: "reject" },
  });
  const request = { prompt: "x", subagent_type: "Bash", model: "m" };
  await manager.spawn(request);
  await expect(manager.spawn(request)).rejects.toMatchObject({
    code: "limit_reached",
    message: `${message}. Do not retry; wait for a running agent to end.`,
  });
  expect(manager.list({ all: true })).toHaveLength(1);
});

test("an agent that is stopped while it is in line leaves it before stop returns", async () => {
  const { manager, events } = setStage(sleeping, {
    allowedTools: ["Bash"],
    limits: { maxRunning: 1 },
  });
  const agents = await Promise.all(
    Array.from({ length: 50 }, () => manager.spawn({ prompt: "x", subagent_type: "Bash" })),
  );
  const queued = agents.slice(1);
  expect(manager.capacity()).toMatchObject({ running: 1, queued: 49 });
  const stops = queued.map(({ id }) => manager.stop(id));
  expect(manager.capacity()).toMatchObject({ running: 1, queued: 0 });
  await Promise.all(stops);
  await manager.stop(agents[0]?.id ?? "");
  await until(() => events.filter(({ type }) => type === "agent-end").length === agents.length);
  for (const { id } of queued) expect(sequence(events, id)).toEqual(["agent-queued", "agent-end"]);
  expect(manager.capacity()).toMatchObject({ running: 0, queued: 0, waiting: 0, free: 1 });
});

test("ended agents count for nothing, however many there are", async () => {
  const { manager } = setStage("turns: [{ reply: ok }]", {
    limits: { maxRunning: 1, onLimit: "reject" },
  });
  for (let count = 0; count < 12; count += 1) {
    const { id } = await manager.spawn({ prompt: "x" });
    await manager.output(id, { block: true });
  }
  expect(manager.list({ all: true })).toHaveLength(12);
  expect(manager.capacity()).toMatchObject({ running: 0, free: 1 });
});

test("a task of a standing agent takes its place in line by its own priority", async () => {
  const { manager, events } = setStage(brief, {
    allowedTools: ["Bash"],
    limits: { maxRunning: 1 },
  });
  const standing = await manager.spawn({ subagent_type: "Bash", priority: "high" });
  await manager.spawn({ prompt: "running", subagent_type: "Bash" });
  const normal = await manager.spawn({ prompt: "normal", subagent_type: "Bash" });
  await Promise.all([
    manager.process(standing.id, "high"),
    manager.output(normal.id, { block: true }),
  ]);
  const started = events.filter(({ type }) => type === "agent-start").map(({ agentId }) => agentId);
  expect(started.slice(1)).toEqual([standing.id, normal.id]);
});
