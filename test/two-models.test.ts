import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { createManager, type Model, type ModelRequest, type WebQuery } from "../src/index.ts";
import { setStage } from "./support/stage.ts";
import { unscripted } from "./support/unscripted.ts";
import { until, untilExists } from "./support/until.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";

/** A session whose agents are answered by models of two providers. */
const held = `{ call: Bash, input: { command: "until [ -e go ]; do sleep 0.02; done" } }`;
const launch = (type: string, background = false): string =>
  `{ call: Agent, input: { description: d, prompt: work, subagent_type: ${type}, run_in_background: ${String(background)} } }`;
const near = { description: "works", prompt: "You work.", tools: ["Bash", "Agent"] };
const far = { ...near, model: "other/small" };
const options = {
  agents: { near, far },
  allowedTools: ["Bash", "Agent"],
  limits: { maxSpawnDepth: 3 },
  settings: { model: "big" },
};

/** The other model: it has prices, and keeps what it is asked. */
function otherModel(scenario: string): { model: Model; requests: ModelRequest[] } {
  const model = unscripted(scenario);
  const requests: ModelRequest[] = [];
  const stream: Model["stream"] = (request, signal) => {
    requests.push(request);
    return model.stream(request, signal);
  };
  return { model: { ...model, provider: "acme", stream }, requests };
}

const asked = (requests: readonly ModelRequest[]): string[] =>
  requests.map(({ model, origin }) => `${origin.agentType} ${model}`);

afterEach(() => void vi.useRealTimers());

test("each agent is answered by its own model: the definition's, the parent's or the call's", async () => {
  const other = otherModel(`
turns:
  - { agent: far, turn: 1, reply: [${launch("near")}] }
  - { agent: far, turn: 2, usage: { input: 1000000 }, reply: far is done }
  - { agent: near, reply: near inherits }
`);
  const { manager, requests, events } = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [${launch("far")}] }
  - { agent: main, turn: 2, reply: done }
  - { agent: far, reply: by the call }
`,
    {
      ...options,
      models: { other: other.model },
      settings: {
        model: "big",
        prices: { small: { input: 3, output: 0, cacheRead: 0, cacheWrite: 0 } },
      },
    },
  );
  const main = await manager.main({ prompt: "go" });
  const { content } = await manager.output(main.id, { block: true });
  expect(content).toBe("done");
  expect(asked(requests)).toEqual(["main big", "main big"]);
  expect(asked(other.requests)).toEqual(["far small", "near small", "far small"]);

  const rows = manager.list({ all: true });
  const child = rows.find(({ type }) => type === "far");
  expect(rows.map(({ type, model }) => [type, model])).toEqual([
    ["main", "big"],
    ["far", "other/small"],
    ["near", "other/small"],
  ]);
  expect(rows.find(({ type }) => type === "near")?.modelFrom).toBe("parent");
  // What the other model answers has its price; what the script answers has none.
  expect(child?.costUsd).toBeGreaterThan(3);
  expect(manager.get(main.id)?.costUsd).toBeNull();
  const started = events.flatMap((event) =>
    event.type === "agent-start" ? [[event.agent.type, event.agent.scripted]] : [],
  );
  expect(started).toEqual([
    ["main", true],
    ["far", false],
    ["near", false],
  ]);

  const called = await manager.spawn({ prompt: "x", subagent_type: "far", model: "big" });
  await manager.output(called.id, { block: true });
  expect(asked(requests).at(-1)).toBe("far big");
  expect(other.requests).toHaveLength(3);
});

test("an alias may name another provider, and a name of an unknown provider goes to the session's model whole", async () => {
  const other = otherModel("turns: [{ reply: other }]");
  const { manager, requests } = setStage("turns: [{ reply: own }]", {
    ...options,
    models: { other: other.model },
    settings: { model: "gateway/big", modelAliases: { quick: "other/vendor/small" } },
  });
  const main = await manager.main({ prompt: "go" });
  expect((await manager.output(main.id, { block: true })).content).toBe("own");
  expect(asked(requests)).toEqual(["main gateway/big"]);
  const quick = await manager.spawn({ prompt: "go", subagent_type: "near", model: "quick" });
  expect((await manager.output(quick.id, { block: true })).content).toBe("other");
  expect(asked(other.requests)).toEqual(["near vendor/small"]);
});

test("a slot counts for the provider of the agent that holds it", async () => {
  const working = `turns: [{ turn: 1, reply: [${held}] }, { turn: 2, reply: done }]`;
  const { manager, cwd } = setStage(working, {
    ...options,
    models: { other: otherModel(working).model },
    limits: { perProvider: { other: 1, rehearsal: 2 } },
  });
  const asking = ["far", "far", "near"].map((type) =>
    manager.spawn({ prompt: "go", subagent_type: type }),
  );
  const [first, second, third] = await Promise.all(asking);
  const states = (): unknown[] =>
    [first, second, third].map((agent) => agent && manager.get(agent.id)?.state);
  expect(states()).toEqual(["running", "queued", "running"]);
  expect(manager.capacity().byProvider).toMatchObject({
    other: { running: 1, queued: 1, free: 0 },
    rehearsal: { running: 1, queued: 0, free: 1 },
  });
  writeFileSync(join(cwd, "go"), "");
  await until(() => expect(states()).toEqual(Array(3).fill("completed")));
});

test("only agents whose model can search have the tool, and it is their model that searches", async () => {
  const other = otherModel(`
turns:
  - { turn: 1, reply: [{ call: WebSearch, input: { query: owls } }] }
  - { turn: 2, reply: "{{ results.1 | line 1 }}" }
`);
  const queries: WebQuery[] = [];
  const searching: Model = {
    ...other.model,
    // oxlint-disable-next-line require-yield -- an answer may come in one piece
    async *search(query) {
      queries.push(query);
      const links = [{ title: "Owls", url: "https://example.com/owls" }];
      const usage = { input: 7, output: 0, cacheRead: 0, cacheWrite: 0 };
      return { model: query.model, text: "birds", links, problems: [], usage, searches: 1 };
    },
  };
  const { manager, requests, events } = setStage("turns: [{ reply: own }]", {
    ...options,
    agents: { looks: { description: "looks", prompt: "You look." } },
    models: { other: searching },
    allowedTools: ["WebSearch"],
  });
  const own = await manager.spawn({ prompt: "go", subagent_type: "looks" });
  await manager.output(own.id, { block: true });
  const toolsOf = (request?: ModelRequest): string[] => (request?.tools ?? []).map((t) => t.name);
  expect(toolsOf(requests[0])).toContain("WebFetch");
  expect(toolsOf(requests[0])).not.toContain("WebSearch");

  const looks = await manager.spawn({ prompt: "go", subagent_type: "looks", model: "other/small" });
  const { content } = await manager.output(looks.id, { block: true });
  expect(content).toBe('Results for "owls":');
  expect(toolsOf(other.requests[0])).toContain("WebSearch");
  expect(queries).toMatchObject([{ model: "small", query: "owls" }]);
  const spends = events.filter((event) => event.type === "spend");
  expect(spends).toMatchObject([
    { agentId: looks.id, what: "search", model: "small", searches: 1, usage: { input: 7 } },
  ]);
});

test("an agent is summarised by its own model", async () => {
  const clock = new TestClock();
  const other = otherModel(`
turns:
  - { turn: 1, reply: [{ call: Bash, input: { command: "touch begun; until [ -e go ]; do sleep 0.02; done" } }] }
  - { turn: 2, reply: done }
`);
  const { manager, requests, cwd, events } = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [${launch("far", true)}] }
  - { agent: main, repeat: true, reply: done }
`,
    {
      ...options,
      models: { other: other.model },
      settings: { model: "big", background: { summaries: { everySeconds: 10 } } },
      clock,
    },
  );
  const main = await manager.main({ prompt: "go" });
  await untilExists(join(cwd, "begun"));
  clock.advance(10_000);
  const spent = (): unknown[] =>
    events.filter((event) => event.type === "spend" && event.model === "small");
  await until(() => expect(spent()).toHaveLength(1));
  const purposes = other.requests.map(({ model, origin }) => [model, origin.purpose]);
  expect(purposes).toEqual([
    ["small", undefined],
    ["small", "summary"],
  ]);
  expect(requests.every(({ origin }) => origin.purpose === undefined)).toBe(true);
  writeFileSync(join(cwd, "go"), "");
  await manager.output(main.id, { block: true });
});

test("a resumed agent, and its copy, ask the model that they had, unless another is named", async () => {
  const script = "turns: [{ repeat: true, reply: other }]";
  const before = otherModel(script);
  const stage = setStage("turns: [{ repeat: true, reply: own }]", {
    ...options,
    models: { other: before.model },
  });
  const { id } = await stage.manager.spawn({ prompt: "go", subagent_type: "far" });
  await stage.manager.output(id, { block: true });
  const { sessionId } = stage.manager;
  await stage.manager.close();

  const after = otherModel(script);
  const own = otherModel("turns: [{ repeat: true, reply: own }]");
  await using manager = createManager({
    ...options,
    limits: { perProvider: { other: 1, acme: 1 }, onLimit: "reject" },
    model: own.model,
    models: { other: after.model },
    session: sessionId,
    cwd: stage.cwd,
    configDir: stage.configDir,
  });
  await manager.resume(id, { prompt: "once more" });
  expect(manager.capacity().byProvider).toMatchObject({
    other: { running: 1 },
    acme: { running: 0 },
  });
  expect((await manager.output(id, { block: true })).content).toBe("other");
  const copy = await manager.branch(id, { prompt: "as a copy" });
  expect((await manager.output(copy.id, { block: true })).content).toBe("other");
  expect(asked(after.requests)).toEqual(["far small", "far small"]);

  await manager.resume(id, { prompt: "elsewhere", model: "big" });
  expect(manager.capacity().byProvider).toMatchObject({
    other: { running: 0 },
    acme: { running: 1 },
  });
  expect((await manager.output(id, { block: true })).content).toBe("own");
  expect(asked(own.requests)).toEqual(["far big"]);
  expect(before.requests).toHaveLength(1);
});

test.each([
  [
    { "a/b": otherModel("turns: [{ reply: x }]").model },
    /models: must have non-empty names without '\/'/,
  ],
  [{ "": otherModel("turns: [{ reply: x }]").model }, /models: must have non-empty names/],
  [{ other: {} as Model }, /models\.other.*must be a Model/],
])("models that cannot be named or asked are refused", (models, problem) => {
  expect(() => setStage("turns: [{ reply: x }]", { models })).toThrow(problem);
});
