import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { markedProcesses } from "./support/marked-processes.ts";
import { idsOfType, sequence, setStage, type Stage } from "./support/stage.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";
import { until, untilExists } from "./support/until.ts";

const sleeper = `
turns:
  - agent: main
    reply: [{ call: Agent, input: { description: Sleep, prompt: sleep, subagent_type: Bash } }]
  - agent: Bash
    reply: [{ call: Bash, input: { command: "sleep 300 & setsid sleep 300 & echo started; wait" } }]
`;

test("a child stopped while its Bash runs leaves no descendant alive", async () => {
  const { manager, events } = setStage(sleeper, { allowedTools: ["Bash"] });
  const agent = await manager.spawn({ prompt: "sleep", subagent_type: "Bash" });
  await until(
    () => markedProcesses(agent.id).filter((command) => command.startsWith("sleep")).length === 2,
  );
  const row = await manager.stop(agent.id, "enough");
  expect(row.state).toBe("stopped");
  expect(markedProcesses(agent.id)).toEqual([]);
  expect(sequence(events, agent.id)).toEqual([
    "agent-start",
    "prompt",
    "turn-start",
    "assistant-message",
    "tool-call-start Bash",
    "tool-call-end Bash",
    "agent-end",
  ]);
  const end = events.at(-1);
  expect(end?.type === "agent-end" ? end.result : null).toMatchObject({
    state: "stopped",
    reason: "enough",
  });
});

test("a foreground child dies with its parent, and is gone before the parent's end is announced", async () => {
  const { manager, events } = setStage(sleeper, { allowedTools: ["Agent", "Bash"] });
  const main = await manager.main({ prompt: "go" });
  const child = await startedChild(events);
  await until(
    () => markedProcesses(child).filter((command) => command.startsWith("sleep")).length === 2,
  );
  await manager.stop(main.id, "enough");
  expect(markedProcesses(child)).toEqual([]);
  expect(manager.get(child)).toMatchObject({ state: "stopped" });
  expect(sequence(events, main.id)).toEqual([
    "agent-start",
    "prompt",
    "turn-start",
    "assistant-message",
    "tool-call-start Agent",
    "agent-wait",
    "tool-call-end Agent",
    "agent-end",
  ]);
  const ends = events.filter((event) => event.type === "agent-end").map((event) => event.agentId);
  expect(ends).toEqual([child, main.id]);
  expect(manager.count()).toBe(0);
});

test("what a finished agent left running in the background ends with it", async () => {
  const { manager } = setStage(
    `
turns:
  - turn: 1
    reply: [{ call: Bash, input: { command: "sleep 300 & setsid sleep 300 >/dev/null 2>&1 & echo ok" } }]
  - turn: 2
    reply: done
`,
    { allowedTools: ["Bash"] },
  );
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash" });
  expect(await manager.output(agent.id, { block: true })).toMatchObject({ state: "completed" });
  expect(markedProcesses(agent.id)).toEqual([]);
});

test("a wall clock that runs out ends the agent with what it had", async () => {
  const clock = new TestClock();
  const { manager } = setStage(
    `
turns:
  - turn: 1
    reply:
      - text: So far so good.
      - call: Bash
        input: { command: "sleep 300" }
`,
    { allowedTools: ["Bash"], clock },
  );
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash", timeout: 300 });
  await until(() => markedProcesses(agent.id).includes("sleep 300"));
  clock.advance(300);
  const output = await manager.output(agent.id, { block: true });
  expect(output).toMatchObject({
    state: "failed",
    content: "So far so good.",
    error: { code: "timeout" },
  });
  expect(markedProcesses(agent.id)).toEqual([]);
});

test("the clock of a parent stands still while it waits for its child", async () => {
  const clock = new TestClock();
  const { manager, cwd } = setStage(
    `
turns:
  - agent: main
    turn: 1
    reply: [{ call: Agent, input: { description: Sleep, prompt: sleep, subagent_type: Bash } }]
  - agent: main
    turn: 2
    reply: still here
  - agent: Bash
    turn: 1
    reply: [{ call: Bash, input: { command: "touch begun; until [ -e go ]; do sleep 0.02; done" } }]
  - agent: Bash
    turn: 2
    reply: slept
`,
    { allowedTools: ["Agent", "Bash"], clock },
  );
  const main = await manager.main({ prompt: "x", timeout: 1000 });
  await untilExists(join(cwd, "begun"));
  clock.advance(1500);
  writeFileSync(join(cwd, "go"), "");
  expect(await manager.output(main.id, { block: true })).toMatchObject({
    state: "completed",
    content: "still here",
  });
});

test("stopAll and close end everything; a closed manager takes no more work", async () => {
  const { manager } = setStage(
    "turns: [{ reply: [{ call: Bash, input: { command: sleep 300 } }], repeat: true }]",
    {
      allowedTools: ["Bash"],
    },
  );
  const agents = await Promise.all(
    [1, 2, 3].map(() => manager.spawn({ prompt: "x", subagent_type: "Bash" })),
  );
  await until(() =>
    agents.every(({ id }) => markedProcesses(id).some((command) => command.startsWith("sleep"))),
  );
  expect((await manager.stopAll()).map((row) => row.state)).toEqual([
    "stopped",
    "stopped",
    "stopped",
  ]);
  for (const { id } of agents) expect(markedProcesses(id)).toEqual([]);
  expect(manager.list()).toEqual([]);
  expect(manager.list({ all: true })).toHaveLength(3);
  await manager.close();
  await expect(manager.spawn({ prompt: "x" })).rejects.toMatchObject({ code: "closed" });
});

async function startedChild(events: Stage["events"]): Promise<string> {
  await until(() => idsOfType(events, "Bash").length > 0);
  return idsOfType(events, "Bash")[0] ?? "";
}
