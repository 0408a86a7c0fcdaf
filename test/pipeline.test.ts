import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { idsOfType, sequence, setStage, writeFiles } from "./support/stage.ts";

const one = `
turns:
  - agent: main
    turn: 1
    reply:
      - text: I ask somebody.
      - call: Agent
        input: { description: Look, prompt: Look at a.txt, subagent_type: Explore }
  - agent: main
    turn: 2
    reply: "It says {{ results.1 | line 1 }}"
  - agent: Explore
    turn: 1
    reply: [{ call: Read, input: { file_path: a.txt } }]
  - agent: Explore
    turn: 2
    reply: "{{ result.Read | match /(hello \\\\w+)/ }}"
`;

test("a single child: its events, and the parent's around them, come in order", async () => {
  const { manager, events } = setStage(one, {
    files: { "a.txt": "hello world\n" },
    allowedTools: ["Agent"],
  });
  const main = await manager.main({ prompt: "What does a.txt say?" });
  const output = await manager.output(main.id, { block: true });
  expect(output).toMatchObject({
    state: "completed",
    content: "It says hello world",
    timedOut: false,
  });

  const [child = ""] = idsOfType(events, "Explore");
  expect(sequence(events, main.id)).toEqual([
    "agent-start",
    "prompt",
    "turn-start",
    "assistant-message",
    "tool-call-start Agent",
    "agent-wait",
    "agent-wake",
    "tool-call-end Agent",
    "turn-start",
    "assistant-message",
    "agent-end",
  ]);
  expect(sequence(events, child)).toEqual([
    "agent-start",
    "prompt",
    "turn-start",
    "assistant-message",
    "tool-call-start Read",
    "tool-call-end Read",
    "turn-start",
    "assistant-message",
    "agent-end",
  ]);
  const types = events.map(
    (event) => `${event.agentId === child ? "child" : "main"} ${event.type}`,
  );
  expect(types.indexOf("child agent-end")).toBeLessThan(types.indexOf("main tool-call-end"));
  expect(types.indexOf("main agent-wait")).toBeLessThan(types.indexOf("child agent-end"));
});

test("ten children of one turn run at once, and their results come back in the order asked", async () => {
  const calls = Array.from(
    { length: 10 },
    (_, index) =>
      `      - { call: Agent, input: { description: n${index}, prompt: "Number ${index} please", subagent_type: general-purpose } }`,
  );
  const { manager, events, requests } = setStage(
    `
turns:
  - agent: main
    turn: 1
    reply:
${calls.join("\n")}
  - agent: main
    turn: 2
    reply: done
  - agent: general-purpose
    task: /Number (\\d)/
    turn: 1
    reply: [{ call: Bash, input: { command: "touch here.{{ task.1 }}; until [ $(ls here.* | wc -l) = 10 ]; do sleep 0.02; done" } }]
  - agent: general-purpose
    task: /Number (\\d)/
    turn: 2
    reply: "I am {{ task.1 }}"
`,
    { allowedTools: ["Agent", "Bash"] },
  );
  const main = await manager.main({ prompt: "Ten at once" });
  await manager.output(main.id, { block: true });

  const children = idsOfType(events, "general-purpose");
  expect(new Set(children).size).toBe(10);
  const order = events.filter((event) => event.agentId !== main.id).map((event) => event.type);
  const lastStart = order.lastIndexOf("agent-start");
  expect(order.slice(0, lastStart)).not.toContain("agent-end");
  for (const child of children) {
    expect(sequence(events, child)).toEqual([
      "agent-start",
      "prompt",
      "turn-start",
      "assistant-message",
      "tool-call-start Bash",
      "tool-call-end Bash",
      "turn-start",
      "assistant-message",
      "agent-end",
    ]);
  }
  const answer = requests.at(-1)?.messages.at(-1);
  const texts = answer?.content.map((block) => JSON.stringify(block)) ?? [];
  expect(texts).toHaveLength(10);
  for (const [index, text] of texts.entries()) expect(text).toContain(`I am ${index}`);
});

test("a child that fails is a result that its parent reads, not an exception", async () => {
  const { manager, events } = setStage(
    `
turns:
  - agent: main
    turn: 1
    reply: [{ call: Agent, input: { description: Fail, prompt: say nothing, subagent_type: Explore } }]
  - agent: main
    turn: 2
    last: /empty_result/
    reply: It failed, and I know why.
  - agent: Explore
    reply: ""
`,
    { allowedTools: ["Agent"] },
  );
  const main = await manager.main({ prompt: "go" });
  expect(await manager.output(main.id, { block: true })).toMatchObject({
    state: "completed",
    content: "It failed, and I know why.",
  });
  const [child = ""] = idsOfType(events, "Explore");
  expect(sequence(events, child)).toEqual([
    "agent-start",
    "prompt",
    "turn-start",
    "assistant-message",
    "agent-end",
  ]);
  expect(manager.get(child)).toMatchObject({ state: "failed" });
  expect((await manager.output(child)).error?.code).toBe("empty_result");
});

test("an agent without a scripted answer fails with the model's error", async () => {
  const { manager } = setStage("turns: [{ agent: Plan, reply: hi }]");
  const agent = await manager.spawn({ prompt: "hello", subagent_type: "Explore" });
  const { state, error } = await manager.output(agent.id, { block: true });
  expect(state).toBe("failed");
  expect(error).toMatchObject({
    code: "model_error",
    message: expect.stringContaining("Explore") as string,
  });
});

test("a new agent type is one new file: it can be spawned without a restart", async () => {
  const { manager, cwd, requests } = setStage(
    "turns: [{ agent: poet, reply: Roses. , repeat: true }]",
  );
  await expect(manager.spawn({ prompt: "Rhyme", subagent_type: "poet" })).rejects.toMatchObject({
    code: "unknown_agent_type",
  });
  writeFiles(cwd, {
    ".claude/agents/poet.md":
      "---\nname: poet\ndescription: Writes: poems\ntools: Read\n---\nYou rhyme.\n",
  });
  const agent = await manager.spawn({ prompt: "Rhyme", subagent_type: "Poet" });
  expect(await manager.output(agent.id, { block: true })).toMatchObject({
    state: "completed",
    content: "Roses.",
  });
  expect(requests[0]?.tools.map((tool) => tool.name)).toEqual(["Read"]);
  expect(requests[0]?.system).toMatch(/^You rhyme\./);
});

test("of agents that are asked for at once, each sees what files said when it was asked for", async () => {
  const { manager, cwd, requests } = setStage("turns: [{ reply: ok, repeat: true }]");
  const edit = (text: string): void =>
    writeFiles(cwd, {
      "CLAUDE.md": `Rules: ${text}.`,
      ".claude/agents/helper.md": `---\nname: helper\ndescription: d\n---\nPrompt: ${text}.`,
    });
  const askThrice = (prompt: string): Promise<{ id: string }>[] =>
    Array.from({ length: 3 }, () => manager.spawn({ prompt, subagent_type: "helper" }));
  edit("old");
  const early = askThrice("early");
  await early[0];
  edit("new");
  const late = askThrice("late");
  for (const { id } of await Promise.all([...early, ...late]))
    await manager.output(id, { block: true });
  const seen = requests.map(({ system, messages }) => `${system} ${JSON.stringify(messages)}`);
  expect(seen).toHaveLength(6);
  expect(seen[0]).toContain("Prompt: old.");
  const lateOnes = seen.filter((text) => text.includes('"late"'));
  expect(lateOnes).toHaveLength(3);
  for (const text of lateOnes) {
    expect(text).toContain("Prompt: new.");
    expect(text).toContain("Rules: new.");
  }
});

test("a definition in the user directory loads too, and the project's wins over it", async () => {
  const { manager, cwd, configDir, requests } = setStage("turns: [{ reply: ok, repeat: true }]");
  writeFiles(configDir, {
    "agents/a.md": "---\nname: helper\ndescription: d\n---\nFrom the user.",
  });
  const first = await manager.spawn({ prompt: "x", subagent_type: "helper" });
  await manager.output(first.id, { block: true });
  writeFiles(cwd, {
    ".claude/agents/deep/b.md": "---\nname: helper\ndescription: d\n---\nFrom the project.",
  });
  const second = await manager.spawn({ prompt: "x", subagent_type: "helper" });
  await manager.output(second.id, { block: true });
  expect(requests.map((request) => request.system.split("\n")[0])).toEqual([
    "From the user.",
    "From the project.",
  ]);
});

test("a child has no Agent tool and cannot delegate", async () => {
  const { manager, requests } = setStage("turns: [{ reply: ok, repeat: true }]");
  const child = await manager.spawn({ prompt: "x" });
  await manager.output(child.id, { block: true });
  const main = await manager.main({ prompt: "x" });
  await manager.output(main.id, { block: true });
  const [childTools, mainTools] = requests.map((request) => request.tools.map((tool) => tool.name));
  expect(childTools).not.toContain("Agent");
  expect(mainTools).toContain("Agent");
});

test("a definition decides what an agent sees: Explore gets no CLAUDE.md and no list of agents", async () => {
  const { manager, requests } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "CLAUDE.md": "Always use tabs." },
  });
  for (const subagent_type of ["Explore", "general-purpose"]) {
    const agent = await manager.spawn({ prompt: "x", subagent_type });
    await manager.output(agent.id, { block: true });
  }
  const [explore, general] = requests.map((request) => JSON.stringify(request.messages));
  expect(explore).not.toContain("Always use tabs.");
  expect(general).toContain("Always use tabs.");
});

test("the turn limit gives the agent one more turn to report, then fails with that text as content", async () => {
  const { manager, events } = setStage(`
turns:
  - last: used all your turns
    reply: I got half way.
  - reply: [{ call: Glob, input: { pattern: "*" } }]
    repeat: true
`);
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore", max_turns: 3 });
  const output = await manager.output(agent.id, { block: true });
  expect(output).toMatchObject({
    state: "failed",
    content: "I got half way.",
    error: { code: "max_turns" },
  });
  expect(events.filter((event) => event.type === "turn-start")).toHaveLength(4);
  expect(output.metrics).toMatchObject({ turns: 4, toolUses: 3 });
});

test("an answer that was cut off by the length limit is continued", async () => {
  const { manager } = setStage(`
turns:
  - turn: 1
    stop: max_tokens
    reply: "one, "
  - turn: 2
    reply: two
`);
  const agent = await manager.spawn({ prompt: "count", subagent_type: "Explore" });
  expect(await manager.output(agent.id, { block: true })).toMatchObject({
    state: "completed",
    content: "one, two",
  });
});

test("a result that is too long for the parent is cut, and the whole of it lies in a file that the parent may read", async () => {
  const { manager, events } = setStage(
    `
turns:
  - agent: main
    turn: 1
    reply: [{ call: Agent, input: { description: Long, prompt: talk, subagent_type: Explore } }]
  - agent: main
    turn: 2
    reply: [{ call: Read, input: { file_path: "{{ results.1 | match /whole report is in (\\\\S+?)\\\\]/ }}" } }]
  - agent: main
    turn: 3
    reply: "{{ result.Read | match /(the end)/ }}"
  - agent: Explore
    reply: "${"x".repeat(200)} the end"
`,
    { allowedTools: ["Agent"], limits: { resultCharacters: 100 } },
  );
  const main = await manager.main({ prompt: "go" });
  expect(await manager.output(main.id, { block: true })).toMatchObject({
    state: "completed",
    content: "the end",
  });
  const [child = ""] = idsOfType(events, "Explore");
  const end = events.find((event) => event.type === "agent-end" && event.agentId === child);
  const file = end?.type === "agent-end" ? end.result.contentFile : undefined;
  expect(file).toBe(
    join(manager.transcripts.projectDir, manager.sessionId, "tool-results", `${child}.txt`),
  );
  expect(existsSync(file ?? "")).toBe(true);
});
