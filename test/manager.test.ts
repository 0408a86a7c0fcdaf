import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createManager, createRehearsal, parseScenario } from "../src/index.ts";
import type { AssistantBlock, UserBlock } from "../src/message.ts";
import { sequence, setStage, temporaryDirectory } from "./support/stage.ts";

test("an agent spawned without a task stands idle, takes one task after the other, and remembers", async () => {
  const { manager, events, requests } = setStage(`
turns:
  - last: first
    reply: one
  - last: second
    reply: two
`);
  const agent = await manager.spawn({ subagent_type: "Explore", name: "scout" });
  expect(agent).toMatchObject({ state: "idle", name: "scout", depth: 1, cost: null });
  expect(manager.count()).toBe(0);
  expect(await manager.process(agent.id, "the first task")).toMatchObject({
    state: "completed",
    content: "one",
  });
  expect(manager.get(agent.id)).toMatchObject({ state: "idle" });
  expect(await manager.process(agent.id, "the second task")).toMatchObject({
    state: "completed",
    content: "two",
    turns: 1,
  });
  expect(requests[1]?.messages.map((message) => JSON.stringify(message.content))).toEqual([
    expect.stringContaining("the first task") as string,
    expect.stringContaining("one") as string,
    expect.stringContaining("the second task") as string,
  ]);
  expect(sequence(events, agent.id)).toEqual([
    "agent-idle",
    ...["agent-start", "prompt", "turn-start", "assistant-message", "agent-end"],
    ...["agent-start", "prompt", "turn-start", "assistant-message", "agent-end"],
  ]);
});

test("process takes an idle agent only, two at once are refused, and a stopped one is over", async () => {
  const { manager } = setStage(
    "turns: [{ reply: [{ call: Bash, input: { command: sleep 300 } }], repeat: true }]",
    {
      allowedTools: ["Bash"],
    },
  );
  const agent = await manager.spawn({ subagent_type: "Bash" });
  const first = manager.process(agent.id, "x");
  await expect(manager.process(agent.id, "y")).rejects.toMatchObject({ code: "agent_busy" });
  await manager.stop(agent.id);
  expect(await first).toMatchObject({ state: "stopped" });
  await expect(manager.process(agent.id, "z")).rejects.toMatchObject({ code: "agent_busy" });
});

test("process has a deadline of its own", async () => {
  const { manager } = setStage(
    "turns: [{ reply: [{ call: Bash, input: { command: sleep 300 } }] }]",
    {
      allowedTools: ["Bash"],
      limits: { processTimeout: 200 },
    },
  );
  const agent = await manager.spawn({ subagent_type: "Bash" });
  expect(await manager.process(agent.id, "x")).toMatchObject({
    state: "failed",
    error: { code: "timeout" },
  });
});

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
  while (manager.get(agent.id)?.progress.lastTool !== "Bash")
    await new Promise((resolve) => setTimeout(resolve, 5));
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
    blind: { description: "d", prompt: "p", tools: ["read", "Write"], disallowedTools: ["Write"] },
  });
  await expect(manager.spawn({ prompt: "x", subagent_type: "blind" })).rejects.toMatchObject({
    code: "no_tools",
    message: expect.stringMatching(
      /read: no such tool here; Write: named in 'disallowedTools'/,
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

test("a transcript that cannot be written ends the agent with a typed failure", async () => {
  const { manager } = setStage("turns: [{ reply: ok }]");
  const sessionDir = join(manager.transcripts.projectDir, manager.sessionId);
  writeFileSync(sessionDir, "in the way");
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  expect(await manager.output(agent.id, { block: true })).toMatchObject({
    state: "failed",
    error: { code: "storage" },
  });
});

test("while a second task runs, what the first one said and took is no longer shown as the result", async () => {
  const { manager } = setStage(
    "turns: [{ last: one, reply: first }, { last: two, reply: [{ call: Bash, input: { command: sleep 300 } }] }]",
    { allowedTools: ["Bash"] },
  );
  const agent = await manager.spawn({ subagent_type: "Bash" });
  await manager.process(agent.id, "one");
  void manager.process(agent.id, "two");
  while (manager.get(agent.id)?.progress.lastTool !== "Bash")
    await new Promise((resolve) => setTimeout(resolve, 5));
  const output = await manager.output(agent.id);
  expect(output).toMatchObject({ state: "running", content: "" });
  expect(output.metrics).toBeUndefined();
});

test("stopping an idle agent is announced and on disk like any other end", async () => {
  const { manager, events } = setStage("turns: [{ reply: ok }]");
  const agent = await manager.spawn({ subagent_type: "Explore" });
  expect(await manager.stop(agent.id, "not needed")).toMatchObject({ state: "stopped" });
  expect(events.at(-1)).toMatchObject({
    type: "agent-end",
    result: { state: "stopped", reason: "not needed" },
  });
  const meta = readFileSync(
    join(
      manager.transcripts.projectDir,
      manager.sessionId,
      "subagents",
      `agent-${agent.id}.meta.json`,
    ),
    "utf8",
  );
  expect(JSON.parse(meta)).toMatchObject({ retinue: { state: "stopped" } });
});

test("a session has one main agent", async () => {
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]");
  await manager.main({ prompt: "x" });
  await expect(manager.main({ prompt: "y" })).rejects.toMatchObject({ code: "invalid_request" });
});

test("a child is allowed no more than its parent", async () => {
  const { manager, events } = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: d, prompt: p, subagent_type: Bash } }] }
  - { agent: Bash, turn: 1, reply: [{ call: Bash, input: { command: "true" } }] }
  - { reply: ok, repeat: true }
`,
    { allowedTools: ["Agent", "Bash"] },
  );
  const main = await manager.main({ prompt: "x", allowedTools: ["Task"] });
  await manager.output(main.id, { block: true });
  expect(
    events.flatMap((event) => (event.type === "permission-deny" ? [event.call.name] : [])),
  ).toEqual(["Bash"]);
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
