import { totalOf } from "../src/events/agent-record.ts";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noUsage, totalTokens } from "../src/contract/message.ts";
import { findAgents } from "../src/transcript/agent-on-disk.ts";
import { sequence, setStage } from "./support/stage.ts";
import { until } from "./support/until.ts";
import { someTurns } from "./support/turns.ts";

test("an agent spawned without a task stands idle, takes one task after the other, and remembers", async () => {
  const { manager, events, requests } = setStage(`
turns:
  - last: first
    reply: one
  - last: second
    reply: two
`);
  const agent = await manager.spawn({ subagent_type: "Explore", name: "scout" });
  expect(agent).toMatchObject({ state: "idle", name: "scout", depth: 1, costUsd: 0 });
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

test("while a second task runs, what the first one said and took is no longer shown as the result", async () => {
  const { manager } = setStage(
    "turns: [{ last: one, reply: first }, { last: two, reply: [{ call: Bash, input: { command: sleep 300 } }] }]",
    { allowedTools: ["Bash"] },
  );
  const agent = await manager.spawn({ subagent_type: "Bash" });
  await manager.process(agent.id, "one");
  void manager.process(agent.id, "two");
  await until(() => manager.get(agent.id)?.progress.lastTool === "Bash");
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

test("stop and process at once on an idle agent: it ends once, and nothing runs afterwards", async () => {
  const { manager, events } = setStage("turns: [{ reply: ok, repeat: true }]");
  const agent = await manager.spawn({ subagent_type: "Explore" });
  const asked = await Promise.allSettled([
    manager.stop(agent.id),
    manager.stop(agent.id),
    manager.process(agent.id, "x"),
  ]);
  expect(asked.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  await someTurns();
  expect(manager.get(agent.id)?.state).toBe("stopped");
  expect(sequence(events, agent.id)).toEqual(["agent-idle", "agent-end"]);
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
  expect((await findAgents(configDir))[0]?.record.end?.state).toBe("completed");
});

async function onDisk(configDir: string): Promise<object> {
  const [agent] = await findAgents(configDir);
  if (agent === undefined) throw new Error("There is no agent.");
  const { usage, turns } = totalOf(agent.record);
  return { tokens: totalTokens(usage), turns, state: agent.record.state };
}

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
  expect(await onDisk(configDir)).toEqual({ tokens: sum, turns: 3, state: "idle" });
  await manager.stop(agent.id);
  expect(await onDisk(configDir)).toEqual({ tokens: sum, turns: 3, state: "stopped" });
});
