import { existsSync, globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Manager } from "../src/index.ts";
import { startCrashing } from "./support/crash.ts";
import { setStage } from "./support/stage.ts";
import { unscripted } from "./support/unscripted.ts";

const quiet = { description: "works", prompt: "You work.", tools: ["Bash"], model: "big" };
const options = {
  agents: { quiet },
  allowedTools: ["Bash"],
  settings: { prices: { big: { input: 10, output: 0, cacheRead: 0, cacheWrite: 0 } } },
};
const usage = "usage: { input: 1000000 }";
const scenario = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: d, prompt: work, subagent_type: quiet, run_in_background: true } }] }
  - { agent: main, turn: 2, reply: [{ call: Bash, input: { command: "sleep 600" } }] }
  - { agent: quiet, turn: 1, ${usage}, reply: [{ call: Bash, input: { command: "touch here; until [ -e go ]; do sleep 0.02; done" } }] }
  - { agent: quiet, turn: 2, ${usage}, reply: done }
  - { agent: quiet, turn: 3, ${usage}, reply: done again }
  - { agent: quiet, turn: 4, ${usage}, reply: done again }
`;

/** What the files of all agents say, and what was summed up while they ran. */
function sums(manager: Manager): { rows: unknown; totals: unknown } {
  const rows = manager.list({ all: true });
  const totals = manager.totals();
  return {
    rows: {
      agents: rows.length,
      input: rows.reduce((sum, row) => sum + row.usage.input, 0),
      costUsd: rows.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    },
    totals: { agents: totals.agents, input: totals.usage.input, costUsd: totals.costUsd },
  };
}

test("a copy has taken what it took itself, in memory and in its files", async () => {
  const { manager, cwd } = setStage(scenario, { ...options, model: unscripted(scenario) });
  writeFileSync(join(cwd, "go"), "");
  const original = await manager.spawn({ prompt: "work", subagent_type: "quiet" });
  await manager.output(original.id, { block: true });
  const told = await manager.branch(original.id, { prompt: "again" });
  await manager.output(told.id, { block: true });
  const untold = await manager.branch(original.id, { turn: 1 });
  await manager.output(untold.id, { block: true });
  const four = { agents: 3, input: 4_000_000, costUsd: 40 };
  expect(sums(manager)).toEqual({ rows: four, totals: four });
  await manager.resume(untold.id, { prompt: "again" });
  await manager.output(untold.id, { block: true });
  const five = { agents: 3, input: 5_000_000, costUsd: 50 };
  expect(sums(manager)).toEqual({ rows: five, totals: five });
  for (const { id } of manager.list({ all: true })) await manager.remove(id);
  const none = { agents: 0, input: 0, costUsd: 0 };
  expect(sums(manager)).toEqual({ rows: none, totals: none });
});

test("what an interrupted task took counts when its agent ends with another", async () => {
  const crashing = await startCrashing(scenario, options);
  await vi.waitFor(() => expect(existsSync(join(crashing.cwd, "here"))).toBe(true), {
    timeout: 20_000,
  });
  await crashing.kill();
  const manager = crashing.reopen();
  const [file = ""] = globSync("projects/*/*/subagents/*.meta.json", { cwd: crashing.configDir });
  const id = /agent-(\w+)\.meta/.exec(file)?.[1] ?? "";
  const row = await manager.resume(id, { prompt: "something else" });
  expect(row.usage.input).toBe(1_000_000);
  await manager.output(id, { block: true });
  expect(manager.get(id)?.usage.input).toBe(2_000_000);
  expect(manager.totals().usage.input).toBe(2_000_000);
  await manager.remove(id);
  expect(manager.totals()).toMatchObject({ agents: 0, usage: { input: 0 } });
});

test("an agent that goes on counts once, also by a clock that stands still", async () => {
  const clock = { now: () => 5_000_000 };
  const { manager, cwd } = setStage(scenario, { ...options, model: unscripted(scenario), clock });
  writeFileSync(join(cwd, "go"), "");
  const { id } = await manager.spawn({ prompt: "work", subagent_type: "quiet" });
  await manager.output(id, { block: true });
  await manager.resume(id, { prompt: "again" });
  await manager.output(id, { block: true });
  const three = { agents: 1, input: 3_000_000, costUsd: 30 };
  expect(sums(manager)).toEqual({ rows: three, totals: three });
});
