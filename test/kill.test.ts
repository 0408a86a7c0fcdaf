import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { idsOfType, setStage, type Stage } from "./support/stage.ts";
import { until } from "./support/until.ts";

const bash = (command: string): object => ({ call: "Bash", input: { command } });
/** Writes `asked` when it is asked to end, and does so at once. */
const polite = "trap 'touch asked; exit' TERM; touch ready; while :; do sleep 0.02; done";
/** Notes that it was asked and goes on. */
const deaf = "trap 'touch asked' TERM; touch ready; while :; do sleep 0.02; done";

function stage(command: string): Stage {
  const scenario = JSON.stringify({ turns: [{ reply: [bash(command)], repeat: true }] });
  return setStage(scenario, { allowedTools: ["Bash"] });
}

test("a stop asks processes to end, a kill does not", async () => {
  for (const [end, asked] of [
    ["stop", true],
    ["kill", false],
  ] as const) {
    const { manager, cwd } = stage(polite);
    const { id } = await manager.spawn({ prompt: "x", subagent_type: "Bash" });
    await until(() => existsSync(join(cwd, "ready")));
    const row = await manager[end](id);
    expect(row).toMatchObject({ id, state: "stopped", died: { agents: [id] } });
    expect(row.died.processes).toBeGreaterThanOrEqual(1);
    expect(existsSync(join(cwd, "asked"))).toBe(asked);
  }
});

test("a kill cuts a stop short that still gives processes their time", async () => {
  const { manager, cwd } = stage(deaf);
  const { id } = await manager.spawn({ prompt: "x", subagent_type: "Bash" });
  await until(() => existsSync(join(cwd, "ready")));
  let stopped = false;
  const stopping = manager.stop(id, { reason: "enough", graceMs: 600_000 }).then((row) => {
    stopped = true;
    return row;
  });
  await until(() => existsSync(join(cwd, "asked")));
  expect(stopped).toBe(false);
  const killed = await manager.kill(id);
  const row = await stopping;
  expect(row).toMatchObject({ state: "stopped", died: { agents: [id] } });
  expect(killed.died.processes).toBe(row.died.processes);
});

test("what dies with an agent is named: its foreground children and their processes", async () => {
  const scenario = `
turns:
  - agent: main
    reply: [{ call: Agent, input: { description: Sleep, prompt: sleep, subagent_type: Bash } }]
  - agent: Bash
    reply: [{ call: Bash, input: { command: "touch ready; setsid sleep 300 & sleep 300" } }]
    repeat: true
`;
  const { manager, events, cwd } = setStage(scenario, { allowedTools: ["Agent", "Bash"] });
  const other = await manager.spawn({ prompt: "x", subagent_type: "Bash" });
  const main = await manager.main({ prompt: "x" });
  await until(() => idsOfType(events, "Bash").length === 2 && existsSync(join(cwd, "ready")));
  await until(() => manager.list().length === 3);
  const child = idsOfType(events, "Bash").find((id) => id !== other.id) ?? "";
  const row = await manager.kill(main.id);
  expect(row.died.agents).toEqual([main.id, child]);
  expect(manager.get(child)).toMatchObject({ state: "stopped" });
  expect(manager.get(other.id)).toMatchObject({ state: "running" });
  const ends = events.filter(({ type }) => type === "agent-end").map(({ agentId }) => agentId);
  expect(ends).toEqual([child, main.id]);
  expect((await manager.stop(child)).died).toEqual({ agents: [], processes: 0 });
});

test("an idle agent that is stopped dies without any process", async () => {
  const { manager } = stage(polite);
  const { id } = await manager.spawn({ subagent_type: "Bash" });
  expect(await manager.stop(id)).toMatchObject({ died: { agents: [id], processes: 0 } });
  expect(await manager.kill(id)).toMatchObject({ died: { agents: [], processes: 0 } });
});

test("a time for processes that is no time is refused", async () => {
  const { manager } = stage(polite);
  const { id } = await manager.spawn({ subagent_type: "Bash" });
  await expect(manager.stop(id, { graceMs: -1 })).rejects.toMatchObject({
    code: "invalid_request",
  });
});
