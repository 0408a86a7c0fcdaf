import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect, test, vi } from "vitest";
import { setStage, sequence, type Stage } from "./support/stage.ts";
import { quiet } from "./support/quiet-agent.ts";
import { until, untilExists } from "./support/until.ts";

const options = { agents: { quiet }, allowedTools: ["Bash"] };

/** The prompt lines of the main transcript that tell of the end of something in the background. */
function notifications({ manager }: Stage): { mail: string; text: string }[] {
  return readFileSync(manager.transcripts.main, "utf8")
    .split("\n")
    .filter((line) => line.includes('"retinueMail"'))
    .map((line) => JSON.parse(line) as { retinueMail: string; message: { content: string } })
    .map((line) => ({ mail: line.retinueMail, text: line.message.content }));
}

test("a parent goes on at once, works, and reads at its end what its child in the background has found", async () => {
  const stage = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: dig, prompt: dig deep, subagent_type: quiet, run_in_background: true } }] }
  - { agent: main, turn: 2, reply: [{ call: Bash, input: { command: "true" } }] }
  - { agent: main, turn: 3, reply: "nothing more to do" }
  - { agent: main, turn: 4, reply: "the child found gold" }
  - { agent: quiet, turn: 1, reply: [{ call: Bash, input: { command: "while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: quiet, turn: 2, reply: "gold" }
`,
    options,
  );
  const main = await stage.manager.main({ prompt: "go" });
  await until(() => expect(sequence(stage.events, main.id)).toContain("agent-wait"));
  writeFileSync(join(stage.cwd, "go"), "");
  const { content } = await stage.manager.output(main.id, { block: true });
  expect(content).toBe("the child found gold");
  const [told] = notifications(stage);
  const child = stage.manager.list({ all: true }).find(({ depth }) => depth === 1);
  expect(told?.mail).toBe(`${child?.id}/1`);
  expect(told?.text).toContain("<status>completed</status>");
  expect(told?.text).toContain("<result>gold</result>");
  expect(notifications(stage)).toHaveLength(1);
  const launch = stage.requests
    .filter(({ origin }) => origin.agentType === "main")[1]
    ?.messages.at(-1)?.content[0];
  expect(JSON.stringify(launch)).toContain(`agentId: ${child?.id}`);
  const events = stage.events.map(
    ({ agentId, type }) => `${agentId === main.id ? "main" : "child"} ${type}`,
  );
  expect(events.lastIndexOf("main agent-wait")).toBeLessThan(events.indexOf("child agent-end"));
});

test("what a child in the background says can be read while it runs, by nobody else", async () => {
  const stage = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: dig, prompt: dig deep, subagent_type: quiet, run_in_background: true } }] }
  - { agent: main, turn: 2, reply: "launched" }
  - { agent: main, turn: 3, reply: "done" }
  - { agent: quiet, turn: 1, reply: [{ text: I begin }, { call: Bash, input: { command: "while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: quiet, turn: 2, reply: "gold" }
`,
    options,
  );
  const main = await stage.manager.main({ prompt: "go" });
  await until(() =>
    expect(sequence(stage.events, stage.manager.list({ all: true })[1]?.id ?? "")).toContain(
      "tool-call-start Bash",
    ),
  );
  const child = stage.manager.list().find(({ depth }) => depth === 1);
  const file = join(
    stage.manager.transcripts.projectDir,
    stage.manager.sessionId,
    "tasks",
    `${child?.id}.output`,
  );
  expect(readFileSync(file, "utf8")).toMatch(/^\[quiet: dig\]\nI begin\n▸ Bash /);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(join(stage.cwd, "go"), "");
  await stage.manager.output(main.id, { block: true });
  expect(readFileSync(file, "utf8")).toMatch(/gold\n\[completed\]\n$/);
});

test("a child that its parent waits for can be moved to the background: the parent goes on, the child is not restarted", async () => {
  const stage = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: dig, prompt: dig deep, subagent_type: quiet } }] }
  - { agent: main, turn: 2, reply: [{ call: Bash, input: { command: "touch go" } }] }
  - { agent: main, last: '/<task-notification>/', reply: "told" }
  - { agent: main, turn: 3, reply: "waiting" }
  - { agent: quiet, turn: 1, reply: [{ call: Bash, input: { command: "echo run >> runs; while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: quiet, turn: 2, reply: "gold" }
`,
    options,
  );
  const main = await stage.manager.main({ prompt: "go" });
  await untilExists(join(stage.cwd, "runs"));
  const child = stage.manager.list().find(({ depth }) => depth === 1);
  await stage.manager.background(child?.id ?? "");
  const { content, state } = await stage.manager.output(main.id, { block: true });
  expect([state, content]).toEqual(["completed", "told"]);
  expect(readFileSync(join(stage.cwd, "runs"), "utf8")).toBe("run\n");
  expect(notifications(stage).map(({ mail }) => mail)).toEqual([`${child?.id}/1`]);
  expect(
    sequence(stage.events, child?.id ?? "").filter((type) => type === "agent-background"),
  ).toHaveLength(1);
});

test.skipIf(!existsSync("/proc/self/fd"))(
  "moving a running child to the background leaves its files open, and its end closes them",
  async () => {
    const stage = setStage(
      `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: dig, prompt: dig deep, subagent_type: quiet } }] }
  - { agent: main, reply: "done" }
  - { agent: quiet, turn: 1, reply: [{ call: Bash, input: { command: "touch begun; while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: quiet, turn: 2, reply: "gold" }
`,
      options,
    );
    const main = await stage.manager.main({ prompt: "go" });
    await untilExists(join(stage.cwd, "begun"));
    const id = stage.manager.list().find(({ depth }) => depth === 1)?.id ?? "";
    const names = [`agent-${id}.jsonl`, `${id}.output`];
    const open = (): string[] => names.filter((name) => openFiles().includes(name));
    expect(open()).toEqual(names.slice(0, 1));
    await stage.manager.background(id);
    expect(open()).toEqual(names);
    writeFileSync(join(stage.cwd, "go"), "");
    await stage.manager.output(id, { block: true });
    await stage.manager.output(main.id, { block: true });
    expect(open()).toEqual([]);
  },
);

/** The names of all files that this process has open. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((number) => {
    try {
      return basename(readlinkSync(`/proc/self/fd/${number}`));
    } catch {
      return [];
    }
  });
}

test("a child in the background outlives a parent that is stopped; one in the foreground does not", async () => {
  const stage = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [
      { call: Agent, input: { description: a, prompt: long, subagent_type: quiet, run_in_background: true } },
      { call: Agent, input: { description: b, prompt: long, subagent_type: quiet } }] }
  - { agent: quiet, turn: 1, reply: [{ call: Bash, input: { command: "while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: quiet, turn: 2, reply: "gold" }
`,
    options,
  );
  const main = await stage.manager.main({ prompt: "go" });
  await until(() =>
    expect(stage.events.filter(({ type }) => type === "tool-call-start")).toHaveLength(4),
  );
  await stage.manager.stop(main.id);
  const [behind, before] = ["a", "b"].map((name) =>
    stage.manager.list({ all: true }).find(({ description }) => description === name),
  );
  expect([behind?.state, before?.state]).toEqual(["running", "stopped"]);
});

test("a message reaches a running agent at its next turn, once, and the sender has a receipt", async () => {
  const stage = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [{ call: Bash, input: { command: "touch begun; while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: main, turn: 2, reply: "first answer" }
`,
    options,
  );
  const main = await stage.manager.main({ prompt: "go" });
  await untilExists(join(stage.cwd, "begun"));
  const receipt = await stage.manager.send(main.id, "look at the tests too");
  expect(receipt.agentId).toBe(main.id);
  writeFileSync(join(stage.cwd, "go"), "");
  await stage.manager.output(main.id, { block: true });
  const read = stage.requests[1]?.messages.at(-1)?.content;
  expect(read?.map(({ type }) => type)).toEqual(["tool_result", "text"]);
  expect(JSON.stringify(read)).toContain("look at the tests too");
  expect(notifications(stage).map(({ mail }) => mail)).toEqual([receipt.messageId]);
  await expect(stage.manager.send(main.id, "too late")).rejects.toMatchObject({
    code: "agent_ended",
  });
});

test("where background tasks are switched off the field is not there, and nothing runs so", async () => {
  vi.stubEnv("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1");
  const stage = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: dig, prompt: dig, subagent_type: quiet } }] }
  - { agent: main, turn: 2, reply: "{{last}}" }
  - { agent: quiet, turn: 1, reply: "gold" }
`,
    { ...options, agents: { quiet: { ...quiet, background: true } } },
  );
  vi.unstubAllEnvs();
  const main = await stage.manager.main({ prompt: "go" });
  await stage.manager.output(main.id, { block: true });
  const tool = stage.requests[0]?.tools.find(({ name }) => name === "Agent");
  expect(Object.keys(tool?.input_schema["properties"] ?? {})).not.toContain("run_in_background");
  expect(JSON.stringify(stage.requests.at(-1)?.messages.at(-1))).toContain("gold");
});
