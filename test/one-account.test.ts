import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { AgentRow } from "../src/session/agent-row.ts";
import { RunState } from "../src/cli/views/run-state.ts";
import { RunTotals } from "../src/cli/run/run-totals.ts";
import { resultFrame } from "../src/cli/views/stream-json.ts";
import { openFeed } from "../src/control/event-feed.ts";
import type { AgentDefinition } from "../src/definitions/definition.ts";
import { totalOf } from "../src/events/agent-record.ts";
import { openSession } from "../src/session/open-session.ts";
import type { AgentEvent, Usage } from "../src/index.ts";
import { Registry } from "../src/lifecycle/registry.ts";
import { Manager } from "../src/manager.ts";
import { checkOptions } from "../src/session/manager-options.ts";
import { startCrashing } from "./support/crash.ts";
import { setStage, temporaryDirectory, type Stage } from "./support/stage.ts";
import { unscripted } from "./support/unscripted.ts";
import { until, untilExists } from "./support/until.ts";

/**
 * Every reader of an agent's state and usage gets the same answer: the library, `retinue ps`, the views and the result
 * frame read one record.
 */
const worker = { description: "works", prompt: "You work.", tools: ["Bash"], model: "big" };
const lead = { ...worker, description: "leads", tools: ["Bash", "Agent"] };
const options = {
  agents: { worker, lead },
  allowedTools: ["Bash", "Agent"],
  limits: { maxSpawnDepth: 2 },
  settings: {
    model: "big",
    prices: { big: { input: 10, output: 0, cacheRead: 0, cacheWrite: 0 } },
  },
};
const hold = `{ call: Bash, input: { command: "touch {{ prompt }}; until [ -e go ]; do sleep 0.02; done" } }`;
const million = "usage: { input: 1000000 }";
const twelve = "usage: { input: 12 }";

const scenario = `
turns:
  - { agent: main, turn: 1, ${million}, reply: [{ call: Bash, input: { command: "echo one" } }] }
  - { agent: main, turn: 2, ${twelve}, reply: [{ call: Bash, input: { command: "touch main; sleep 600" } }] }
  - { agent: main, turn: 3, ${twelve}, reply: [{ call: Bash, input: { command: "touch resumed; until [ -e go ]; do sleep 0.02; done" } }] }
  - { agent: main, repeat: true, ${twelve}, reply: done }
  - { agent: lead, turn: 1, ${million}, reply: [{ call: Agent, input: { description: d, prompt: below, subagent_type: worker } }] }
  - { agent: lead, turn: 2, ${twelve}, reply: led }
  - { agent: worker, task: original, turn: 1, ${million}, reply: [{ call: Bash, input: { command: "echo one" } }] }
  - { agent: worker, task: original, turn: 2, ${twelve}, reply: [${hold}] }
  - { agent: worker, task: original, turn: 3, ${twelve}, reply: done }
  - { agent: worker, turn: 1, ${million}, reply: [${hold}] }
  - { agent: worker, turn: 2, ${twelve}, reply: done }
  - { agent: worker, turn: 3, ${twelve}, reply: done again }
`;

interface Account {
  state: string;
  turns: number;
  usage: Usage;
  costUsd: number | null;
}

function of({ state, progress, usage, costUsd }: AgentRow): Account {
  return { state, turns: progress.turns, usage, costUsd };
}

function ofView(run: RunState, id: string): Account | undefined {
  const record = run.agents.get(id as never)?.record;
  if (record === undefined) return undefined;
  const { usage, costUsd } = totalOf(record);
  return { state: record.state, turns: record.run.turns, usage, costUsd };
}

/** The rows of `retinue ps -a --json`, in a process of its own. */
async function ps(configDir: string): Promise<AgentRow[]> {
  const program = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
  const env = { ...process.env, CLAUDE_CONFIG_DIR: configDir };
  const args = [program, "ps", "-a", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout) as AgentRow[];
}

/** Readers of all events of a manager: one from its beginning, and others that attach later. */
class Readers {
  readonly early = new RunState();
  readonly events: AgentEvent[] = [];
  readonly late: RunState[] = [];
  readonly #manager: Manager;

  constructor(manager: Manager) {
    this.#manager = manager;
    void this.#read(manager.events({ limit: 100_000 }), this.early, this.events);
  }

  attach(): void {
    const { rows, stream } = openFeed(this.#manager, undefined);
    const run = new RunState();
    for (const row of rows) run.add(row);
    this.late.push(run);
    void this.#read(stream, run, []);
  }

  async #read(stream: AsyncIterable<AgentEvent>, run: RunState, kept: AgentEvent[]): Promise<void> {
    for await (const event of stream) {
      run.apply(event);
      kept.push(event);
    }
  }
}

/** Compares all accounts of the agents with that of `manager.get`, and returns those. */
async function agree(
  manager: Manager,
  configDir: string,
  readers: Readers,
): Promise<Record<string, Account>> {
  readers.attach();
  const shown = await ps(configDir);
  const rows = manager.list({ all: true });
  expect(shown.map(({ id }) => id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  // Each began to run before its eyes.
  expect([...readers.early.agents.keys()].toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  const accounts: Record<string, Account> = {};
  for (const row of rows) {
    const { id } = row;
    const account = of(row);
    const found = manager.get(id);
    expect(found).toEqual(row);
    const listed = shown.find((one) => one.id === id);
    expect(listed && of(listed)).toEqual(account);
    expect(listed?.progress).toEqual(row.progress);
    for (const run of [readers.early, ...readers.late])
      if (run.agents.has(id)) expect(ofView(run, id)).toEqual(account);
    accounts[id] = account;
  }
  const childless = rows.filter(({ id }) => !rows.some(({ parentId }) => parentId === id));
  for (const { id } of childless) {
    const { agents, usage, costUsd } = manager.totals(id);
    const account = accounts[id];
    expect({ agents, usage, costUsd }).toEqual({
      ...{ agents: 1, usage: account?.usage, costUsd: account?.costUsd },
    });
  }
  return accounts;
}

/** The account of the last run in the result frame, as a program that watches nothing else would get it. */
function inFrame(events: readonly AgentEvent[], id: string): Account | undefined {
  const own = events.filter(({ agentId }) => agentId === id);
  const end = own.findLast((event) => event.type === "agent-end");
  if (end === undefined) return undefined;
  const totals = new RunTotals();
  for (const event of own) totals.apply(event);
  const { sessionId, result } = end;
  const frame = resultFrame({ totals, sessionId, result, scripted: false });
  const usage = {
    input: frame.usage.input_tokens,
    output: frame.usage.output_tokens,
    cacheRead: frame.usage.cache_read_input_tokens,
    cacheWrite: frame.usage.cache_creation_input_tokens,
  };
  const { num_turns: turns, total_cost_usd: costUsd } = frame;
  return { state: result.state, turns, usage, costUsd };
}

const used = (input: number): Pick<Account, "usage" | "costUsd"> => ({
  usage: { input, output: 0, cacheRead: 0, cacheWrite: 0 },
  costUsd: input / 100_000,
});

async function untilFile(cwd: string, name: string): Promise<void> {
  await untilExists(join(cwd, name));
}

test("running, waiting, branched, killed and completed agents have one account", async () => {
  const { manager, cwd, configDir } = setStage(scenario, {
    ...options,
    model: unscripted(scenario),
  });
  const readers = new Readers(manager);
  const original = await manager.spawn({ prompt: "original", subagent_type: "worker" });
  await untilFile(cwd, "original");
  const leading = await manager.spawn({ prompt: "leading", subagent_type: "lead" });
  await untilFile(cwd, "below");
  const killed = await manager.spawn({ prompt: "killed", subagent_type: "worker" });
  await untilFile(cwd, "killed");
  readers.attach();
  await manager.kill(killed.id);
  // Both copies have a history of a million tokens, which they did not use.
  const withTask = await manager.branch(original.id, { turn: 1, prompt: "other" });
  const goingOn = await manager.branch(original.id, { turn: 1 });
  await until(() => {
    for (const { id } of [withTask, goingOn]) expect(manager.get(id)?.usage.input).toBe(12);
  });

  const running = await agree(manager, configDir, readers);
  expect(running).toMatchObject({
    [original.id]: { state: "running", turns: 2, ...used(1_000_012) },
    [leading.id]: { state: "waiting", turns: 1, ...used(1_000_000) },
    [killed.id]: { state: "stopped", turns: 1, ...used(1_000_000) },
    [withTask.id]: { state: "running", turns: 1, ...used(12) },
    [goingOn.id]: { state: "running", turns: 2, ...used(12) },
  });
  expect(inFrame(readers.events, killed.id)).toEqual(running[killed.id]);

  writeFileSync(join(cwd, "go"), "");
  for (const { id } of manager.list()) await manager.output(id, { block: true });
  const ended = await agree(manager, configDir, readers);
  expect(ended).toMatchObject({
    [original.id]: { state: "completed", turns: 3, ...used(1_000_024) },
    [leading.id]: { state: "completed", turns: 2, ...used(1_000_012) },
    [withTask.id]: { state: "completed", turns: 2, ...used(24) },
    [goingOn.id]: { state: "completed", turns: 3, ...used(24) },
  });
  for (const [id, account] of Object.entries(ended))
    expect(inFrame(readers.events, id)).toEqual(account);
  const sum = manager.list({ all: true }).reduce((total, { usage }) => total + usage.input, 0);
  expect(manager.totals()).toMatchObject({ agents: 6, ...used(sum) });
});

test("an agent that was killed with its process and resumed has one account, before and after", async () => {
  const crashing = await startCrashing(scenario, { ...options, priced: true });
  const { cwd, configDir, mainId } = crashing;
  await untilFile(cwd, "main");
  const [before] = await ps(configDir);
  expect(before && of(before)).toEqual({ state: "running", turns: 2, ...used(1_000_012) });
  await crashing.kill();
  const [interrupted] = await ps(configDir);
  expect(interrupted && of(interrupted)).toEqual({
    ...{ state: "interrupted", turns: 2, ...used(1_000_012) },
  });

  const manager = crashing.reopen();
  const readers = new Readers(manager);
  await manager.resume(mainId);
  await untilFile(cwd, "resumed");
  const running = await agree(manager, configDir, readers);
  expect(running).toEqual({
    [mainId]: { state: "running", turns: 3, ...used(1_000_024) },
  });
  expect(manager.totals()).toMatchObject({ agents: 1, ...used(1_000_024) });
  writeFileSync(join(cwd, "go"), "");
  await manager.output(mainId, { block: true });
  const ended = await agree(manager, configDir, readers);
  expect(ended).toEqual({ [mainId]: { state: "completed", turns: 4, ...used(1_000_036) } });
  expect(inFrame(readers.events, mainId)).toEqual(ended[mainId]);

  // A new task is a run of its own: its turns and its frame begin anew, the sums go on.
  await manager.resume(mainId, { prompt: "again" });
  await manager.output(mainId, { block: true });
  expect(await agree(manager, configDir, readers)).toEqual({
    [mainId]: { state: "completed", turns: 1, ...used(1_000_048) },
  });
  const later = new Readers(manager);
  await manager.resume(mainId, { prompt: "again" });
  await manager.output(mainId, { block: true });
  expect(await agree(manager, configDir, later)).toEqual({
    [mainId]: { state: "completed", turns: 1, ...used(1_000_060) },
  });
  expect(inFrame(later.events, mainId)).toEqual({
    ...{ state: "completed", turns: 1, ...used(12) },
  });
});

test("agents whose records were evicted have the account that they had before", async () => {
  const { manager, cwd, configDir } = withFewRecords(2);
  const readers = new Readers(manager);
  writeFileSync(join(cwd, "go"), "");
  const ids: string[] = [];
  const accounts: Record<string, Account> = {};
  for (const prompt of ["one", "two", "three", "four", "five"]) {
    const { id } = await manager.spawn({ prompt, subagent_type: "worker" });
    await manager.output(id, { block: true });
    ids.push(id);
    const row = manager.get(id);
    if (row !== undefined) accounts[id] = of(row);
  }
  expect(await agree(manager, configDir, readers)).toEqual(accounts);
  expect(manager.totals()).toMatchObject({ agents: 5, ...used(5 * 1_000_012) });
  const [first = "", second = ""] = ids;
  expect(accounts[first]).toEqual({ state: "completed", turns: 2, ...used(1_000_012) });

  await manager.resume(first, { prompt: "again" });
  await manager.output(first, { block: true });
  const later = await agree(manager, configDir, readers);
  expect(later[first]).toEqual({ state: "completed", turns: 1, ...used(1_000_024) });
  expect(manager.totals()).toMatchObject({ agents: 5, ...used(5 * 1_000_012 + 12) });

  for (const id of [first, second]) await manager.remove(id);
  expect(manager.totals()).toMatchObject({ agents: 3, ...used(3 * 1_000_012) });
  expect(manager.list({ all: true })).toHaveLength(3);
  expect(manager.get(second)).toBeUndefined();
});

test("a run counts once, also by a clock that stands still", async () => {
  const clock = { now: () => 5_000_000 };
  const { manager, cwd, configDir } = setStage(scenario, {
    ...{ ...options, model: unscripted(scenario), clock },
  });
  const readers = new Readers(manager);
  writeFileSync(join(cwd, "go"), "");
  const { id } = await manager.spawn({ prompt: "one", subagent_type: "worker" });
  await manager.output(id, { block: true });
  await manager.resume(id, { prompt: "again" });
  await manager.output(id, { block: true });
  expect(await agree(manager, configDir, readers)).toEqual({
    [id]: { state: "completed", turns: 1, ...used(1_000_024) },
  });
  await manager.remove(id);
  expect(manager.totals()).toMatchObject({ agents: 0, ...used(0) });
});

/** A manager that keeps the records of so many ended agents in memory. */
function withFewRecords(endedInMemory: number): Pick<Stage, "manager" | "cwd" | "configDir"> {
  const root = temporaryDirectory();
  const [cwd, configDir] = [join(root, "work"), join(root, "config")];
  mkdirSync(cwd);
  const { agents, ...rest } = { ...options, cwd, configDir, model: unscripted(scenario) };
  const programmatic = new Map<string, AgentDefinition>();
  const runtime = openSession(checkOptions(rest), () => [...programmatic.values()]);
  Object.assign(runtime, {
    registry: new Registry(runtime.session, { isReopened: false, endedInMemory }),
  });
  const manager = new Manager(runtime, programmatic);
  manager.registerAgents(agents);
  onTestFinished(() => manager.close());
  return { manager, cwd, configDir };
}
