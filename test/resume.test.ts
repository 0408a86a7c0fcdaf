import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelRequest } from "../src/index.ts";
import { startCrashing } from "./support/crash.ts";
import { setStage } from "./support/stage.ts";
import { until, untilExists } from "./support/until.ts";

const quiet = { description: "works by itself", prompt: "You work.", tools: ["Bash", "Read"] };
const options = { agents: { quiet }, allowedTools: ["Bash"] };

function texts({ messages }: ModelRequest): string[] {
  return messages.map(
    ({ role, content }) =>
      `${role}: ${content.map((block) => (block.type === "text" ? block.text : block.type)).join(" + ")}`,
  );
}

test("an agent that has ended goes on with its history, under its id, and its figures add up", async () => {
  const stage = setStage(
    `
turns:
  - { agent: quiet, turn: 1, reply: [{ call: Bash, input: { command: "echo found" } }] }
  - { agent: quiet, turn: 2, reply: "first" }
  - { agent: quiet, turn: 3, reply: "second" }
`,
    options,
  );
  const row = await stage.manager.spawn({ prompt: "one", subagent_type: "quiet" });
  await stage.manager.output(row.id, { block: true });
  const before = stage.manager.get(row.id);
  const again = await stage.manager.resume(row.id, { prompt: "two" });
  expect(again.id).toBe(row.id);
  const { content, state, metrics } = await stage.manager.output(row.id, { block: true });
  expect([state, content, metrics?.turns]).toEqual(["completed", "second", 1]);
  const last = stage.requests.at(-1);
  expect(texts(last as ModelRequest).slice(-5)).toEqual([
    "user: one",
    "assistant: tool_use",
    "user: tool_result",
    "assistant: first",
    "user: two",
  ]);
  expect(last?.system).toBe(stage.requests[0]?.system);
  expect(stage.manager.get(row.id)?.usage.output).toBeGreaterThan(before?.usage.output ?? 0);
  expect(stage.manager.list({ all: true })).toHaveLength(1);
});

test("what cannot be resumed is refused with a remedy", async () => {
  const stage = setStage("turns: [{ agent: quiet, turn: 1, reply: done }]", options);
  await expect(stage.manager.resume("a0")).rejects.toMatchObject({ code: "unknown_task" });
  await expect(stage.manager.resume("../../x")).rejects.toMatchObject({ code: "unknown_task" });
  const row = await stage.manager.spawn({ prompt: "one", subagent_type: "quiet" });
  await stage.manager.output(row.id, { block: true });
  await expect(stage.manager.resume(row.id)).rejects.toThrow("has completed its task. Give it");
});

test("a parent continues one of its children with the tool's resume, and nobody else's", async () => {
  const stage = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: d, prompt: one, subagent_type: quiet } }] }
  - { agent: main, turn: 2, reply: [{ call: Agent, input: { description: d, prompt: two, resume: "{{ results.1 | match /agentId: (a[0-9a-f]+)/ }}" } }, { call: Agent, input: { description: d, prompt: x, resume: a0000000000000000 } }] }
  - { agent: main, turn: 3, reply: "{{ results.1 }} / {{ results.2 }}" }
  - { agent: quiet, turn: 1, reply: first }
  - { agent: quiet, turn: 2, reply: second }
`,
    options,
  );
  const main = await stage.manager.main({ prompt: "go" });
  const { content } = await stage.manager.output(main.id, { block: true });
  expect(content).toMatch(/^second\n.*unknown task_id: a0000000000000000/s);
  expect(stage.manager.list({ all: true })).toHaveLength(2);
});

const numbered = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: d, prompt: one, subagent_type: quiet } }] }
  - { agent: main, turn: 2, reply: "main done" }
  - { agent: quiet, turn: 1, reply: [{ call: Bash, input: { command: "echo 1 >> effects" } }] }
  - { agent: quiet, turn: 2, reply: [{ call: Bash, input: { command: "echo 2 >> effects; touch here; while [ ! -e go ]; do sleep 0.02; done" } }, { call: Bash, input: { command: "echo 3 >> effects" } }] }
  - { agent: quiet, turn: 3, reply: "child done" }
`;

test("after kill -9 parent and child go on: what finished is not repeated, what ran is told to be interrupted", async () => {
  const crashing = await startCrashing(numbered, options);
  const { cwd, mainId } = crashing;
  await untilExists(join(cwd, "here"));
  await crashing.kill();
  writeFileSync(join(cwd, "go"), "");
  const manager = crashing.reopen();
  const { interrupted, resumed, failed } = await manager.resumeAll();
  expect([resumed.map(({ id }) => id), failed]).toEqual([[mainId], []]);
  const { content, state } = await manager.output(mainId, { block: true });
  expect([state, content]).toEqual(["completed", "main done"]);
  const child = manager.list({ all: true }).find(({ depth }) => depth === 1);
  expect(interrupted).toEqual([mainId, child?.id]);
  expect(child).toMatchObject({ state: "completed", progress: { turns: 3 } });
  // The third never began, and was to follow what was interrupted.
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("1\n2\n");
  const lines = readFileSync(
    join(
      manager.transcripts.projectDir,
      manager.sessionId,
      "subagents",
      `agent-${child?.id}.jsonl`,
    ),
    "utf8",
  );
  expect(lines.match(/"content":"Interrupted: the process that ran this call/g)).toHaveLength(1);
  expect(lines.match(/"content":"Interrupted: not run, because/g)).toHaveLength(1);
  expect(manager.list({ all: true })).toHaveLength(2);
});

test("a child that had ended when its parent's process was killed is not run again", async () => {
  const scenario = `
turns:
  - { agent: main, turn: 1, reply: [
      { call: Agent, input: { description: fast, prompt: fast, subagent_type: quiet } },
      { call: Agent, input: { description: slow, prompt: slow, subagent_type: quiet } }] }
  - { agent: main, turn: 2, reply: "{{ results.1 }} {{ results.2 }}" }
  - { agent: quiet, turn: 1, task: fast, reply: [{ call: Bash, input: { command: "echo fast >> effects" } }] }
  - { agent: quiet, turn: 2, task: fast, reply: "fast gold" }
  - { agent: quiet, turn: 1, task: slow, reply: [{ call: Bash, input: { command: "touch here; while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: quiet, turn: 2, task: slow, reply: "slow gold" }
`;
  const crashing = await startCrashing(scenario, options);
  const { cwd, mainId } = crashing;
  await until(() => {
    expect(existsSync(join(cwd, "here"))).toBe(true);
    expect(existsSync(join(cwd, "effects"))).toBe(true);
  });
  await until(() => expect(readFileSync(metaOf("fast"), "utf8")).toContain('"state":"completed"'));
  await crashing.kill();
  writeFileSync(join(cwd, "go"), "");
  const manager = crashing.reopen();
  await manager.resumeAll();
  const { content } = await manager.output(mainId, { block: true });
  expect(content).toContain("fast gold");
  expect(content).toContain("slow gold");
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("fast\n");

  function metaOf(description: string): string {
    const { globSync } = process.getBuiltinModule("node:fs");
    const files = globSync("projects/*/*/subagents/*.meta.json", { cwd: crashing.configDir });
    const all = files.map((file) => join(crashing.configDir, file));
    return (
      all.find((file) => readFileSync(file, "utf8").includes(`"description":"${description}"`)) ??
      "none"
    );
  }
});

test("a call whose input was redacted is not run from disk: the agent is told to send it again", async () => {
  const scenario = `
turns:
  - { agent: main, turn: 1, reply: [
      { call: Bash, input: { command: "touch here; while [ ! -e go ]; do sleep 0.02; done" } },
      { call: Read, input: { file_path: "/tmp/sk-ant-api03-${"a1B2".repeat(23)}" } }] }
  - { agent: main, turn: 2, reply: "{{ results.2 }}" }
`;
  const crashing = await startCrashing(scenario, options);
  await untilExists(join(crashing.cwd, "here"));
  await crashing.kill();
  const manager = crashing.reopen();
  await manager.resumeAll();
  const { content } = await manager.output(crashing.mainId, { block: true });
  expect(content).toMatch(/^Interrupted: not run, because its input held a secret/);
});

test("a resumed agent reads as running, in its own process, while it runs", async () => {
  const crashing = await startCrashing(numbered, options);
  await untilExists(join(crashing.cwd, "here"));
  await crashing.kill();
  const scenario =
    "turns: [{ reply: [{ call: Bash, input: { command: sleep 60 } }], repeat: true }]";
  const { createRehearsal, parseScenario } = await import("../src/index.ts");
  const manager = crashing.reopen({ model: createRehearsal(parseScenario(scenario, "s.yaml")) });
  await manager.resumeAll();
  const { readAgent } = await import("../src/transcript/agent-on-disk.ts");
  const { sessionDir } = manager.transcripts;
  await until(async () => {
    const child = manager.list().find(({ depth }) => depth === 1);
    const onDisk = await readAgent(join(sessionDir, "subagents", `agent-${child?.id}.meta.json`));
    expect([onDisk?.record.state, onDisk?.runner.pid]).toEqual(["running", process.pid]);
  });
});

test("a branch makes no call whose outcome nobody knows", async () => {
  const crashing = await startCrashing(numbered, options);
  await untilExists(join(crashing.cwd, "here"));
  await crashing.kill();
  writeFileSync(join(crashing.cwd, "go"), "");
  const manager = crashing.reopen();
  const { globSync } = process.getBuiltinModule("node:fs");
  const [file] = globSync("projects/*/*/subagents/*.meta.json", { cwd: crashing.configDir });
  const id = /agent-(\w+)\.meta/.exec(file ?? "")?.[1] ?? "";
  await expect(manager.branch(id, { turn: 2, prompt: "x" })).rejects.toThrow("have no results yet");
  const copy = await manager.branch(id);
  await manager.output(copy.id, { block: true });
  // The first effect was the original's; the copy goes on after it, with what it was to do next.
  expect(
    readFileSync(join(crashing.cwd, "effects"), "utf8")
      .split("\n")
      .filter((line) => line === "1"),
  ).toHaveLength(1);
});

test("after close nothing of a session goes on", async () => {
  const crashing = await startCrashing(numbered, options);
  await untilExists(join(crashing.cwd, "here"));
  await crashing.kill();
  const manager = crashing.reopen();
  const resuming = manager.resumeAll();
  await manager.close();
  await resuming;
  expect(manager.list()).toEqual([]);
});
