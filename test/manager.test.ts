import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createManager, createRehearsal, parseScenario } from "../src/index.ts";
import { type AssistantBlock, type UserBlock } from "../src/contract/message.ts";
import { setStage, temporaryDirectory, writeFiles } from "./support/stage.ts";
import { until } from "./support/until.ts";

test("output waits only when asked to, and a wait that is over leaves the agent untouched", async () => {
  const { manager } = setStage(
    "turns: [{ turn: 1, reply: [{ text: Working. }, { call: Bash, input: { command: sleep 300 } }] }]",
    { allowedTools: ["Bash"] },
  );
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash" });
  expect(await manager.output(agent.id)).toMatchObject({
    timedOut: false,
    state: expect.stringMatching(/queued|running/) as string,
  });
  await until(() => manager.get(agent.id)?.progress.lastTool === "Bash");
  const late = await manager.output(agent.id, { block: true, timeout: 20 });
  expect(late).toMatchObject({ timedOut: true, state: "running", content: "Working." });
  expect(late.metrics).toBeUndefined();
  await expect(manager.output("nobody")).rejects.toMatchObject({
    code: "unknown_task",
    message: "unknown task_id: nobody",
  });
  await expect(manager.output("../../etc/passwd")).rejects.toMatchObject({ code: "unknown_task" });
});

test("registered agents win over files, and a broken one names its field", async () => {
  const { manager, requests } = setStage("turns: [{ reply: ok, repeat: true }]");
  manager.registerAgents({
    Explore: { description: "mine", prompt: "My own explorer.", tools: ["Read"] },
  });
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  await manager.output(agent.id, { block: true });
  expect(requests[0]?.system).toMatch(/^My own explorer\./);
  expect(requests[0]?.tools.map((tool) => tool.name)).toEqual(["Read"]);
  expect(() => manager.registerAgents({ x: { prompt: "p" } })).toThrow(/agents\.x: 'description'/);
  expect(() =>
    manager.registerAgents({ x: { description: "d", prompt: "p", maxTurns: -1 } }),
  ).toThrow(/agents\.x: 'maxTurns'/);
});

test("a tools list of which nothing is left refuses to launch and says why", async () => {
  const { manager } = setStage("turns: [{ reply: ok }]");
  manager.registerAgents({
    blind: {
      description: "d",
      prompt: "p",
      tools: ["Frobnicate", "Write"],
      disallowedTools: ["Write"],
    },
  });
  await expect(manager.spawn({ prompt: "x", subagent_type: "blind" })).rejects.toMatchObject({
    code: "no_tools",
    message: expect.stringMatching(
      /Frobnicate: no such tool here; Write: named in 'disallowedTools'/,
    ) as string,
  });
});

test("the model comes from the call, else the definition, else the parent, else the default", async () => {
  const { manager, requests } = setStage(
    `
turns:
  - agent: main
    turn: 1
    reply:
      - { call: Agent, input: { description: a, prompt: a, subagent_type: Explore, model: opus } }
      - { call: Agent, input: { description: b, prompt: b, subagent_type: Explore } }
      - { call: Agent, input: { description: c, prompt: c, subagent_type: Plan } }
  - { reply: ok, repeat: true }
`,
    { allowedTools: ["Agent"] },
  );
  const main = await manager.main({ prompt: "x", model: "my/own-model" });
  await manager.output(main.id, { block: true });
  const plain = await manager.spawn({ prompt: "x" });
  await manager.output(plain.id, { block: true });
  const models = Object.fromEntries(
    requests.map(({ messages, model }) => [
      JSON.stringify(messages[0]).match(/"text":"(\w)"/)?.[1] ?? "main",
      model,
    ]),
  );
  expect(models).toMatchObject({ a: "claude-opus-5-5", b: "claude-haiku-5-5", c: "my/own-model" });
  expect(manager.get(plain.id)?.model).toBe("claude-sonnet-5-5");
});

test("options and requests that do not fit are refused by name, and nothing is written", async () => {
  const model = createRehearsal(parseScenario("turns: [{ reply: ok }]", "s"));
  const root = temporaryDirectory();
  expect(() => createManager({ model, cwd: join(root, "nowhere"), configDir: root })).toThrow(
    /cwd: .*nowhere/,
  );
  // @ts-expect-error a misspelt option
  expect(() => createManager({ model, modle: 1 })).toThrow(/modle/);
  expect(() => createManager({ model: {} as never })).toThrow(/model: must be a Model/);
  expect(() => createManager({ model, limits: { maxRunning: 0 } })).toThrow(/limits\.maxRunning/);
  writeFileSync(join(root, "file"), "");
  expect(() => createManager({ model, cwd: root, configDir: join(root, "file") })).toThrow(
    /Set CLAUDE_CONFIG_DIR/,
  );
  mkdirSync(join(root, "config"));
  await using manager = createManager({ model, cwd: root, configDir: join(root, "config") });
  // @ts-expect-error a misspelt field
  await expect(manager.spawn({ promt: "x" })).rejects.toMatchObject({ code: "invalid_request" });
});

test("a reader that never reads stalls nobody", async () => {
  const { manager } = setStage("turns: [{ reply: a b c d e f g h i j k l m n o p, repeat: true }]");
  const stuck = manager.events({ limit: 10 });
  for (let round = 0; round < 5; round += 1) {
    const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
    expect(await manager.output(agent.id, { block: true })).toMatchObject({ state: "completed" });
  }
  expect(stuck.dropped).toBeGreaterThan(0);
});

test("a session has one main agent", async () => {
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]");
  await manager.main({ prompt: "x" });
  await expect(manager.main({ prompt: "y" })).rejects.toMatchObject({ code: "invalid_request" });
});

test("a child is allowed what its parent is, and no more", async () => {
  const { manager, events } = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: d, prompt: p, subagent_type: Bash } }] }
  - { agent: Bash, turn: 1, reply: [{ call: Bash, input: { command: "touch one" } }, { call: Bash, input: { command: "touch two" } }, { call: Bash, input: { command: "touch three" } }] }
  - { reply: ok, repeat: true }
`,
    { allowedTools: ["Bash(touch one)"] },
  );
  const main = await manager.main({ prompt: "x", allowedTools: ["Bash(touch two)"] });
  await manager.output(main.id, { block: true });
  const denied = events.flatMap((event) =>
    event.type === "permission-deny" ? [event.call.input["command"]] : [],
  );
  expect(denied).toEqual(["touch three"]);
});

test("an agent that calls a tool in its wrap-up turn leaves a history that can go on", async () => {
  const { manager, requests } = setStage(`
turns:
  - { last: again, reply: ok }
  - { reply: [{ call: Glob, input: { pattern: "*" } }], repeat: true }
`);
  const agent = await manager.spawn({ subagent_type: "Explore", max_turns: 1 });
  expect(await manager.process(agent.id, "go")).toMatchObject({
    state: "failed",
    error: { code: "max_turns" },
  });
  expect(await manager.process(agent.id, "again")).toMatchObject({ state: "completed" });
  const blocks = (requests.at(-1)?.messages ?? []).flatMap(
    (message): (AssistantBlock | UserBlock)[] => message.content,
  );
  const asked = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const answered = blocks.flatMap((block) =>
    block.type === "tool_result" ? [block.tool_use_id] : [],
  );
  expect(asked).toHaveLength(2);
  expect(answered).toEqual(asked);
});

test("a name that every object has is only a name: nothing of the process changes", async () => {
  const { manager, requests } = setStage("turns: [{ reply: ok, repeat: true }]");
  for (const model of ["__proto__", "constructor", "toString"]) {
    const agent = await manager.spawn({ prompt: "x", model, subagent_type: "Explore" });
    await manager.output(agent.id, { block: true });
    expect(requests.at(-1)?.model).toBe(model);
  }
  expect(Object.isFrozen(Object.prototype)).toBe(false);
});

test("two main agents asked for at once: one is refused", async () => {
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]");
  const asked = await Promise.allSettled([
    manager.main({ prompt: "x" }),
    manager.main({ prompt: "y" }),
  ]);
  expect(asked.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

test("a model that does not heed its signal cannot hold up a stop, and its stream is closed", async () => {
  const closed: string[] = [];
  const deaf = {
    provider: "deaf",
    scripted: true,
    async *stream(): AsyncGenerator<{ type: "text"; text: string }, never> {
      try {
        yield { type: "text", text: "hello " };
        return await new Promise<never>(() => undefined);
      } finally {
        closed.push("stream");
      }
    },
  };
  const polite = {
    ...deaf,
    async *stream(): AsyncGenerator<{ type: "text"; text: string }, never> {
      try {
        for (;;) {
          yield { type: "text", text: "and on " };
          await setImmediate();
        }
      } finally {
        closed.push("stream");
      }
    },
  };
  for (const model of [deaf, polite]) {
    const { manager, events } = setStage("turns: [{ reply: ok }]", { model });
    const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
    await until(() => events.some((event) => event.type === "text-delta"));
    expect(await manager.stop(agent.id)).toMatchObject({ state: "stopped" });
  }
  await until(() => closed.length !== 0);
});

test("a plan is no way around permissions: neither by Bash nor by a child", async () => {
  const { manager, cwd, events } = setStage(
    `
turns:
  - { agent: planner, turn: 1, reply: [{ call: Bash, input: { command: touch one } }, { call: Agent, input: { description: d, prompt: p, subagent_type: general-purpose } }] }
  - { agent: general-purpose, turn: 1, reply: [{ call: Write, input: { file_path: two, content: x } }] }
  - { reply: ok, repeat: true }
`,
    {
      allowedTools: ["Agent", "Bash", "Edit"],
      agents: { planner: { description: "d", prompt: "p", permissionMode: "plan" } },
    },
  );
  const main = await manager.main({ prompt: "x", subagent_type: "planner" });
  expect(await manager.output(main.id, { block: true })).toMatchObject({ state: "completed" });
  expect(
    events.flatMap((event) => (event.type === "permission-deny" ? [event.call.name] : [])),
  ).toEqual(["Bash", "Write"]);
  expect(readdirSync(cwd)).toEqual([]);
});

test("what a definition confines to a rule is denied beyond it, and says why", async () => {
  const { manager, events } = setStage(
    "turns: [{ turn: 1, reply: [{ call: Bash, input: { command: git diff } }, { call: Bash, input: { command: git diff; ls } }] }, { reply: ok }]",
    {
      allowedTools: ["Bash"],
      agents: { differ: { description: "d", prompt: "p", tools: "Bash(git diff *), Read" } },
    },
  );
  const agent = await manager.spawn({ prompt: "x", subagent_type: "differ" });
  await manager.output(agent.id, { block: true });
  const denied = events.filter((event) => event.type === "permission-deny");
  expect(denied).toMatchObject([
    {
      call: { input: { command: "git diff; ls" } },
      reason: expect.stringContaining("confines Bash to 'Bash(git diff *)'") as string,
    },
  ]);
});

test("a logger that throws harms nobody", async () => {
  const broken = (): never => {
    throw new Error("no log today");
  };
  const { manager } = setStage("turns: [{ reply: ok }]", {
    logger: { info: broken, warn: broken, child: broken },
  });
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  expect(await manager.output(agent.id, { block: true })).toMatchObject({ state: "completed" });
});

test("limits, loggers, times and tasks that do not fit are refused by name", async () => {
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]");
  const agent = await manager.spawn({ subagent_type: "Explore" });
  for (const timeout of [Number.NaN, -1, 2 ** 31]) {
    await expect(manager.output(agent.id, { block: true, timeout })).rejects.toMatchObject({
      code: "invalid_request",
    });
    await expect(manager.process(agent.id, "x", { timeout })).rejects.toMatchObject({
      code: "invalid_request",
    });
  }
  await expect(manager.process(agent.id, "")).rejects.toMatchObject({ code: "invalid_request" });
  expect(() => setStage("turns: [{ reply: ok }]", { logger: console as never })).toThrow(
    /logger: must have the methods/,
  );
  expect(() =>
    setStage("turns: [{ reply: ok }]", {
      agents: { x: { description: "d", prompt: "p", tool: ["Read"] } },
    }),
  ).toThrow(/Did you mean 'tools'/);
});

test("asking for a type whose file was not loaded says which file and why", async () => {
  const { manager, cwd } = setStage("turns: [{ reply: ok }]");
  writeFiles(cwd, { ".claude/agents/shy.md": "---\nname: shy\n---\nHi" });
  await expect(manager.spawn({ prompt: "x", subagent_type: "shy" })).rejects.toThrow(
    /shy\.md was not loaded: 'description' must be/,
  );
});
