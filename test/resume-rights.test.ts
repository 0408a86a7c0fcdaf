import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCrashing } from "./support/crash.ts";
import { setStage } from "./support/stage.ts";
import { until, untilExists } from "./support/until.ts";

const quiet = { description: "works by itself", prompt: "You work.", tools: ["Bash", "Write"] };
const options = { agents: { quiet }, allowedTools: ["Bash"] };
const again = `"{{ results.1 | match /agentId: (a[0-9a-f]+)/ }}"`;

test("a child that is resumed in the background is waited for, and told of", async () => {
  const stage = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: d, prompt: one, subagent_type: quiet } }] }
  - { agent: main, turn: 2, reply: [{ call: Agent, input: { description: d, prompt: two, resume: ${again}, run_in_background: true } }] }
  - { agent: main, last: /<result>second/, reply: "told" }
  - { agent: main, reply: "nothing more" }
  - { agent: quiet, turn: 1, reply: first }
  - { agent: quiet, turn: 2, reply: [{ call: Bash, input: { command: "while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: quiet, turn: 3, reply: second }
`,
    options,
  );
  const main = await stage.manager.main({ prompt: "go" });
  await until(() =>
    expect(
      stage.events.some(({ type, agentId }) => type === "agent-wait" && agentId === main.id),
    ).toBe(true),
  );
  writeFileSync(join(stage.cwd, "go"), "");
  expect((await stage.manager.output(main.id, { block: true })).content).toBe("told");
});

test("rules about a type of agent bind the resuming of one, and a mode only narrows", async () => {
  const scenario = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: d, prompt: one, subagent_type: quiet } }] }
  - { agent: main, turn: 2, reply: [{ call: Agent, input: { description: d, prompt: two, resume: ${again}, mode: plan } }] }
  - { agent: main, turn: 3, reply: "{{ results.1 }}" }
  - { agent: quiet, turn: 1, reply: first }
  - { agent: quiet, turn: 2, reply: [{ call: Write, input: { file_path: made, content: x } }] }
  - { agent: quiet, turn: 3, reply: "tried" }
`;
  const free = setStage(scenario, { ...options, allowedTools: ["Bash", "Edit"] });
  const first = await free.manager.main({ prompt: "go" });
  expect((await free.manager.output(first.id, { block: true })).content).toContain("tried");
  expect(existsSync(join(free.cwd, "made"))).toBe(false);

  const bound = setStage(scenario, {
    ...options,
    settings: { permissions: { ask: ["Agent(quiet)"] } },
    inbox: { attended: true },
  });
  const second = await bound.manager.main({ prompt: "go" });
  await until(() => expect(bound.manager.inbox.list()).toHaveLength(1));
  await bound.manager.inbox.answer(bound.manager.inbox.list()[0]?.id ?? "", {
    verdict: "allow",
    scope: "once",
  });
  // The second call names no type: it is asked about all the same.
  await until(() => expect(bound.manager.inbox.list()).toHaveLength(1));
  await bound.manager.inbox.answer(bound.manager.inbox.list()[0]?.id ?? "", { verdict: "deny" });
  await bound.manager.output(second.id, { block: true });
});

test("a session that is opened again in a narrower mode narrows its agents", async () => {
  const scenario = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Bash, input: { command: "touch here; while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: main, turn: 2, reply: [{ call: Write, input: { file_path: made, content: x } }] }
  - { agent: main, turn: 3, reply: "done" }
`;
  const crashing = await startCrashing(scenario, { ...options, permissionMode: "acceptEdits" });
  await untilExists(join(crashing.cwd, "here"));
  await crashing.kill();
  const manager = crashing.reopen({ permissionMode: "plan" });
  await manager.resumeAll();
  await manager.output(crashing.mainId, { block: true });
  expect(existsSync(join(crashing.cwd, "made"))).toBe(false);
});

test("what was sent to a standing agent whose task failed is read with its next task", async () => {
  const stage = setStage(
    `
turns:
  - { turn: 1, reply: [{ call: Bash, input: { command: "touch here; while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { last: /second/, reply: "read it" }
`,
    options,
  );
  const row = await stage.manager.spawn({ subagent_type: "quiet" });
  const task = stage.manager.process(row.id, "first", { timeout: 60_000 });
  await untilExists(join(stage.cwd, "here"));
  await stage.manager.send(row.id, "second thoughts");
  writeFileSync(join(stage.cwd, "go"), "");
  expect((await task).content).toBe("read it");
  expect(JSON.stringify(stage.requests.at(-1)?.messages)).toContain("second thoughts");
});

test("of a tree, those that no parent finds again go on by themselves", async () => {
  const scenario = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: top, prompt: top, subagent_type: boss } }] }
  - { agent: main, turn: 2, reply: [{ call: Bash, input: { command: "touch up; while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: main, turn: 3, reply: "main done" }
  - { agent: boss, turn: 1, reply: [{ call: Agent, input: { description: low, prompt: low, subagent_type: quiet, run_in_background: true } }] }
  - { agent: boss, reply: "enough", repeat: true }
  - { agent: quiet, turn: 1, reply: [{ call: Bash, input: { command: "touch low; while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: quiet, turn: 2, reply: "low done" }
`;
  const boss = { description: "hands on", prompt: "You lead.", tools: ["Agent"], maxTurns: 1 };
  const crashing = await startCrashing(scenario, {
    ...options,
    agents: { quiet, boss },
    limits: { maxSpawnDepth: 2 },
  });
  await until(() => {
    expect([existsSync(join(crashing.cwd, "up")), existsSync(join(crashing.cwd, "low"))]).toEqual([
      true,
      true,
    ]);
  });
  await crashing.kill();
  writeFileSync(join(crashing.cwd, "go"), "");
  const manager = crashing.reopen({ limits: { maxSpawnDepth: 2 } });
  const { resumed, failed } = await manager.resumeAll();
  expect([resumed.map(({ type }) => type).toSorted(), failed]).toEqual([["main", "quiet"], []]);
  await Promise.all(resumed.map(({ id }) => manager.output(id, { block: true })));
  expect(resumed.map(({ id }) => manager.get(id)?.state)).toEqual(["completed", "completed"]);
});
