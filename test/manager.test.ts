import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createManager, createRehearsal, parseScenario } from "../src/index.ts";
import { noUsage, totalTokens, type AssistantBlock, type UserBlock } from "../src/message.ts";
import { findAgents } from "../src/transcript/meta.ts";
import { sequence, setStage, temporaryDirectory, writeFiles } from "./support/stage.ts";

test("an agent spawned without a task stands idle, takes one task after the other, and remembers", async () => {
  const { manager, events, requests } = setStage(`
turns:
  - last: first
    reply: one
  - last: second
    reply: two
`);
  const agent = await manager.spawn({ subagent_type: "Explore", name: "scout" });
  expect(agent).toMatchObject({ state: "idle", name: "scout", depth: 1, cost: 0 });
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

test("a transcript that cannot be written ends the agent with a typed failure", async () => {
  const { manager } = setStage("turns: [{ reply: ok }]");
  const sessionDir = join(manager.transcripts.projectDir, manager.sessionId);
  rmSync(sessionDir, { recursive: true });
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

test("stop and process at once on an idle agent: it ends once, and nothing runs afterwards", async () => {
  const { manager, events } = setStage("turns: [{ reply: ok, repeat: true }]");
  const agent = await manager.spawn({ subagent_type: "Explore" });
  const asked = await Promise.allSettled([
    manager.stop(agent.id),
    manager.stop(agent.id),
    manager.process(agent.id, "x"),
  ]);
  expect(asked.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(manager.get(agent.id)?.state).toBe("stopped");
  expect(sequence(events, agent.id)).toEqual(["agent-idle", "agent-end"]);
});

test("a transcript that cannot be written ends the task, gives the slot back, and nothing is left unhandled", async () => {
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]", {
    limits: { maxRunning: 1 },
  });
  const agent = await manager.spawn({ subagent_type: "Explore" });
  const sessionDir = join(manager.transcripts.projectDir, manager.sessionId);
  mkdirSync(join(sessionDir, "subagents", `agent-${agent.id}.jsonl`));
  expect(await manager.process(agent.id, "x")).toMatchObject({
    state: "failed",
    error: { code: "storage" },
  });
  const next = await manager.spawn({ prompt: "y", subagent_type: "Explore" });
  expect(await manager.output(next.id, { block: true })).toMatchObject({ state: "completed" });
});

test("an end that cannot be stored is no success", async () => {
  const { manager, cwd } = setStage(
    'turns: [{ turn: 1, reply: [{ call: Bash, input: { command: "sh block" } }] }, { turn: 2, reply: done }]',
    { allowedTools: ["Bash"] },
  );
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash", name: "late" });
  const meta = join(
    manager.transcripts.projectDir,
    manager.sessionId,
    "subagents",
    `agent-${agent.id}.meta.json`,
  );
  // A directory where the file should go: every later write of it fails.
  writeFileSync(join(cwd, "block"), `rm -f '${meta}' && mkdir '${meta}'`);
  expect(await manager.output(agent.id, { block: true })).toMatchObject({
    state: "failed",
    error: { code: "storage" },
  });
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
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      } finally {
        closed.push("stream");
      }
    },
  };
  for (const model of [deaf, polite]) {
    const { manager, events } = setStage("turns: [{ reply: ok }]", { model });
    const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
    while (!events.some((event) => event.type === "text-delta"))
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await manager.stop(agent.id)).toMatchObject({ state: "stopped" });
  }
  while (closed.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
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

test("instructions come from regular files of the repository only: no link out of it, no pipe that never ends", async () => {
  const secret = temporaryDirectory();
  writeFileSync(join(secret, "key"), "SECRET-VALUE");
  const { manager, cwd, requests } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "AGENTS.md": "Use tabs." },
  });
  const ask = async (): Promise<string> => {
    const agent = await manager.spawn({ prompt: "x" });
    await manager.output(agent.id, { block: true });
    return JSON.stringify(requests.at(-1)?.messages);
  };
  expect(await ask()).toContain("Use tabs.");
  symlinkSync(join(secret, "key"), join(cwd, "CLAUDE.md"));
  expect(await ask()).not.toContain("SECRET-VALUE");
  rmSync(join(cwd, "CLAUDE.md"));
  execFileSync("mkfifo", [join(cwd, "CLAUDE.md")]);
  expect(await ask()).not.toContain("Use tabs.");
});

test("a repository cannot have git run its programs when an agent is spawned in it", async () => {
  const { manager, cwd, requests } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "a.txt": "one" },
  });
  const git = committedRepository(cwd);
  const marker = join(temporaryDirectory(), "ran");
  writeFileSync(join(cwd, ".gitattributes"), "* filter=evil\n");
  git("config", "filter.evil.clean", `sh -c 'touch ${marker}; cat'`);
  git("config", "core.fsmonitor", `sh -c 'touch ${marker}'`);
  writeFileSync(join(cwd, "a.txt"), "two");
  const agent = await manager.spawn({ prompt: "x" });
  await manager.output(agent.id, { block: true });
  expect(existsSync(marker)).toBe(false);
  expect(requests[0]?.system).not.toContain("git_status");
});

test.each([
  [
    "a section that does not start its line",
    '[x][filter "evil"]\n\tclean = "sh -c \\"touch MARKER; cat\\""\n',
  ],
  ["an include", "[include]\n\tpath = evil\n"],
])("no spelling of a filter in a repository's configuration is run: %s", async (_name, config) => {
  const { manager, cwd } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "a.txt": "one" },
  });
  committedRepository(cwd);
  const marker = join(temporaryDirectory(), "ran");
  writeFiles(cwd, {
    ".gitattributes": "* filter=evil\n",
    ".git/evil": `[filter "evil"]\n\tclean = "sh -c \\"touch ${marker}; cat\\""\n`,
  });
  appendFileSync(join(cwd, ".git/config"), config.replace("MARKER", marker));
  writeFileSync(join(cwd, "a.txt"), "two");
  const agent = await manager.spawn({ prompt: "x" });
  await manager.output(agent.id, { block: true });
  expect(existsSync(marker)).toBe(false);
});

test("a .git file that leads git elsewhere than it leads us, and pipes in place of git's files, do nothing", async () => {
  const { manager, cwd } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "a.txt": "one" },
  });
  const git = committedRepository(cwd);
  const marker = join(temporaryDirectory(), "ran");
  writeFiles(cwd, { ".gitattributes": "* filter=evil\n", "a.txt": "two" });
  git("config", "filter.evil.clean", `sh -c 'touch ${marker}; cat'`);
  renameSync(join(cwd, ".git"), join(cwd, "g\nx"));
  mkdirSync(join(cwd, "g"));
  writeFileSync(join(cwd, ".git"), "gitdir: g\nx\n");
  const ask = async (at: typeof manager): Promise<void> => {
    const agent = await at.spawn({ prompt: "x" });
    expect(await at.output(agent.id, { block: true })).toMatchObject({ state: "completed" });
  };
  await ask(manager);
  const below = join(cwd, "below");
  mkdirSync(join(below, ".git"), { recursive: true });
  for (const name of ["HEAD", "config"]) execFileSync("mkfifo", [join(below, ".git", name)]);
  const model = createRehearsal(parseScenario("turns: [{ reply: ok, repeat: true }]", "s"));
  await using other = createManager({ model, cwd: below, configDir: temporaryDirectory() });
  await ask(other);
  expect(existsSync(marker)).toBe(false);
});

test("git looks at exactly the repository that was looked at, not at one further up", async () => {
  const { manager, cwd } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "sub/a.txt": "one" },
  });
  const git = committedRepository(cwd);
  const marker = join(temporaryDirectory(), "ran");
  writeFiles(cwd, { ".gitattributes": "* filter=evil\n", "sub/a.txt": "two" });
  git("config", "filter.evil.clean", `sh -c 'touch ${marker}; cat'`);
  mkdirSync(join(cwd, "sub/.git"));
  await using below = createManager({
    model: createRehearsal(parseScenario("turns: [{ reply: ok, repeat: true }]", "s")),
    cwd: join(cwd, "sub"),
    configDir: temporaryDirectory(),
  });
  const agent = await below.spawn({ prompt: "x" });
  await below.output(agent.id, { block: true });
  expect(existsSync(marker)).toBe(false);
  await manager.close();
});

test("stopping a standing agent while its task is just ending ends the agent, not only the task", async () => {
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]");
  for (let round = 0; round < 20; round += 1) {
    const agent = await manager.spawn({ subagent_type: "Explore" });
    const stream = manager.events();
    const task = manager.process(agent.id, "x");
    for await (const event of stream) if (event.type === "assistant-message") break;
    expect(await manager.stop(agent.id)).toMatchObject({ state: "stopped" });
    await task;
  }
});

test("an idle agent that cannot be stored is announced to nobody", async () => {
  const { manager, events } = setStage("turns: [{ reply: ok }]");
  const sessionDir = join(manager.transcripts.projectDir, manager.sessionId);
  rmSync(sessionDir, { recursive: true });
  writeFileSync(sessionDir, "in the way");
  await expect(manager.spawn({ subagent_type: "Explore" })).rejects.toMatchObject({
    code: "storage",
  });
  expect(events).toEqual([]);
  expect(manager.list({ all: true })).toEqual([]);
});

test("the file beside a transcript does not grow with the number of tasks, and forgets an old error", async () => {
  const { manager, configDir } = setStage(
    'turns: [{ last: bad, reply: "" }, { reply: ok, repeat: true }]',
  );
  const agent = await manager.spawn({ subagent_type: "Explore", description: "説明".repeat(30) });
  const size = async (): Promise<number> =>
    statSync((await findAgents(configDir))[0]?.file ?? "").size;
  expect(await manager.process(agent.id, "bad")).toMatchObject({ state: "failed" });
  const before = await size();
  for (let round = 0; round < 10; round += 1) await manager.process(agent.id, "good");
  expect(await size()).toBe(before);
  expect((await findAgents(configDir))[0]?.meta.retinue.error).toBeUndefined();
});

test("a link from CLAUDE.md to AGENTS.md is followed, one to anything else is not", async () => {
  const { manager, cwd, requests } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "AGENTS.md": "Use tabs.", ".env": "TOKEN=SECRET-VALUE" },
  });
  const ask = async (target: string): Promise<string> => {
    rmSync(join(cwd, "CLAUDE.md"), { force: true });
    symlinkSync(target, join(cwd, "CLAUDE.md"));
    const agent = await manager.spawn({ prompt: "x" });
    await manager.output(agent.id, { block: true });
    return JSON.stringify(requests.at(-1)?.messages);
  };
  expect(await ask("AGENTS.md")).toContain("Use tabs.");
  expect(await ask(".env")).not.toContain("SECRET-VALUE");
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

test("figures of a standing agent add up over its tasks, in memory and on disk", async () => {
  const { manager, events, configDir } = setStage("turns: [{ reply: ok, repeat: true }]");
  const agent = await manager.spawn({ subagent_type: "Explore" });
  for (const task of ["one", "two", "three"]) await manager.process(agent.id, task);
  const sum = events.reduce(
    (total, event) =>
      total + (event.type === "assistant-message" ? totalTokens(event.answer.usage) : 0),
    0,
  );
  expect(totalTokens(manager.get(agent.id)?.usage ?? noUsage)).toBe(sum);
  expect((await findAgents(configDir))[0]?.meta.retinue).toMatchObject({
    tokens: sum,
    turns: 3,
    state: "idle",
  });
  await manager.stop(agent.id);
  expect((await findAgents(configDir))[0]?.meta.retinue).toMatchObject({
    tokens: sum,
    turns: 3,
    state: "stopped",
  });
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

/** Makes a repository out of a directory and everything in it. Returns git, for more. */
function committedRepository(cwd: string): (...args: string[]) => void {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"];
  const git = (...args: string[]): void =>
    void execFileSync("git", [...identity, ...args], { cwd, stdio: "ignore" });
  git("init", "-b", "main");
  git("add", ".");
  git("commit", "-m", "x");
  return git;
}
