import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createManager, createRehearsal, parseScenario } from "../src/index.ts";
import { sentMail } from "../src/lifecycle/mail/sent-mail.ts";
import { findAgents, readAgent } from "../src/transcript/agent-on-disk.ts";
import { projectDirectory, sessionPaths } from "../src/transcript/paths.ts";
import { prune } from "../src/transcript/retention.ts";
import type { AgentId, SessionId } from "../src/contract/ids.ts";
import { readLog, type Acknowledged, type LifeOptions } from "./support/chaos/acknowledged.ts";
import { lostOf, readBooks, readMain } from "./support/chaos/books.ts";
import { setStage, temporaryDirectory } from "./support/stage.ts";
import { straceOptions, TracedDisk, type Cut } from "./support/traced-disk.ts";
import { canTrace } from "./support/traced.ts";

if (!canTrace) process.stdout.write("skipped: strace is not here, or may not trace\n");

const children = Array.from({ length: 8 }, (_, n) => ({
  call: "Agent",
  input: {
    description: `child ${n}`,
    prompt: `task ${n}`,
    subagent_type: "worker",
    run_in_background: n % 2 === 1,
  },
}));

const working = JSON.stringify({
  turns: [
    { agent: "main", turn: 1, reply: children },
    { agent: "main", reply: "noted", repeat: true },
    {
      agent: "worker",
      turn: 1,
      reply: [{ text: "I begin." }, { call: "Bash", input: { command: "echo one" } }],
      repeat: true,
    },
    {
      agent: "worker",
      turn: 2,
      reply: [{ call: "Bash", input: { command: "echo two" } }],
      repeat: true,
    },
    { agent: "worker", reply: "done", repeat: true },
  ],
});

interface Traced {
  life: LifeOptions;
  trace: string;
  told: Acknowledged[];
}

/** A whole session under strace. What it was told it writes down. */
async function traced(
  durability: LifeOptions["durability"],
  inject: readonly string[] = [],
): Promise<Traced> {
  const root = temporaryDirectory();
  const [cwd, configDir] = [join(root, "work"), join(root, "config")];
  mkdirSync(cwd);
  const [scenario, log, trace] = ["scenario.json", "told.jsonl", "trace"].map((name) =>
    join(root, name),
  ) as [string, string, string];
  writeFileSync(scenario, working);
  const life = { cwd, configDir, scenario, log, session: null, maxRunning: 100, durability };
  const program = fileURLToPath(new URL("support/chaos/life.ts", import.meta.url));
  const node = [process.execPath, program, JSON.stringify(life)];
  await promisify(execFile)("strace", [...straceOptions, ...inject, "-o", trace, ...node], {
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" },
  });
  return { life, trace: readFileSync(trace, "latin1"), told: readLog(log) };
}

/** What was told and would be lost if the power failed at the very instant of the telling, for every so many of them. */
async function lossesOf(
  { life, trace, told }: Traced,
  { every, cut }: { every: number; cut: Cut },
): Promise<{ cuts: number; losses: string[] }> {
  const disk = new TracedDisk();
  const directories: { directory: string; told: Acknowledged[] }[] = [];
  let count = 0;
  disk.follow(trace, join(life.configDir, ".."), (path) => {
    if (path !== life.log) return;
    count += 1;
    if (count % every !== 0) return;
    const directory = temporaryDirectory();
    disk.cutTo(directory, life.configDir, cut);
    directories.push({ directory, told: told.slice(0, count) });
  });
  expect(count).toBe(told.length);
  const losses: string[] = [];
  for (const { directory, told } of directories)
    losses.push(...(await lostIn(directory, life, told)));
  return { cuts: directories.length, losses };
}

async function lostIn(
  configDir: string,
  { cwd }: LifeOptions,
  told: readonly Acknowledged[],
): Promise<string[]> {
  const projectDir = projectDirectory(configDir, cwd);
  const session = namesIn(projectDir).find((name) => !name.includes("."));
  const paths = sessionPaths(projectDir, (session ?? "none") as SessionId);
  const lost = lostOf(told, readBooks(paths.sessionDir)).map((one) => JSON.stringify(one));
  const ends = new Map(
    told.flatMap((one) => (one.kind === "end" ? [[one.agentId, one.state]] : [])),
  );
  const mainId = readMain(paths.sessionDir).id;
  for (const id of new Set(told.flatMap((one) => ("agentId" in one ? one.agentId : [])))) {
    const file = id === mainId ? paths.mainMeta : paths.meta(id as AgentId);
    const { state } = (await readAgent(file))?.record ?? { state: "gone" };
    if (state === "gone" || state !== (ends.get(id) ?? state)) lost.push(`${id} is ${state}`);
  }
  for (const one of told) {
    if (one.kind !== "sent") continue;
    const mail = sentMail(paths.mail(one.agentId as AgentId));
    if (!mail.some(({ id }) => id === one.messageId)) lost.push(`message ${one.messageId}`);
  }
  return lost;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

const scripted = `
turns:
  - { turn: 1, reply: [{ call: Glob, input: { pattern: "*" } }], repeat: true }
  - { reply: done, repeat: true }
`;

test("an agent that has no task yet, works, and is stopped is in its file what it was told to be", async () => {
  const { manager, events } = setStage(scripted, { durability: "power" });
  const { id } = await manager.spawn({ subagent_type: "Explore" });
  const file = sessionPaths(manager.transcripts.projectDir, manager.sessionId).meta(id);
  const stored = async () => (await readAgent(file))?.record;
  expect(await stored()).toMatchObject({ state: "idle", runs: 0 });
  expect((await manager.process(id, "look")).content).toBe("done");
  expect(await stored()).toMatchObject({ state: "idle", runs: 1, end: { state: "completed" } });
  await manager.stop(id, "enough");
  expect(await stored()).toMatchObject({ state: "stopped", runs: 2 });
  expect(
    events.filter(({ type }) => /^agent-(idle|end)$/.test(type)).map(({ type }) => type),
  ).toEqual(["agent-idle", "agent-end", "agent-end"]);
});

test("notes and removals are on the disk when they are done, and nothing else is left", async () => {
  const { manager } = setStage(scripted, { durability: "power" });
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  await manager.output(agent.id, { block: true });
  const { agentsDir } = sessionPaths(manager.transcripts.projectDir, manager.sessionId);
  expect(readdirSync(agentsDir).toSorted()).toEqual([
    `agent-${agent.id}.jsonl`,
    `agent-${agent.id}.meta.json`,
  ]);
  await manager.transcripts.append(agent.id, "seen");
  await manager.transcripts.delete(agent.id);
  expect(readdirSync(agentsDir)).toEqual([]);
});

test("a journal that an earlier version left is in nobody's way", async () => {
  const { manager, configDir, cwd } = setStage(scripted);
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  await manager.output(agent.id, { block: true });
  await manager.close();
  const { sessionDir } = sessionPaths(manager.transcripts.projectDir, manager.sessionId);
  const removed = `${agent.id}.jsonl`;
  writeFileSync(
    join(sessionDir, "journal.log"),
    `{"file":"${removed}","at":0,"size":3,"crc":1}\nxyz\n`,
  );
  writeFileSync(join(sessionDir, "journal.log.removed"), `"${removed}"\n`);

  const model = createRehearsal(parseScenario(scripted, "s.yaml"));
  const options = {
    model,
    cwd,
    configDir,
    session: manager.sessionId,
    durability: "power",
  } as const;
  await using again = createManager(options);
  expect((await again.transcripts.load(agent.id)).messages).toHaveLength(4);
  await again.resume(agent.id, { prompt: "once more" });
  expect(await again.output(agent.id, { block: true })).toMatchObject({ state: "completed" });
  await again.close();
  const { signal } = new AbortController();
  const pruned = await prune({ configDir, before: () => Infinity, signal });
  expect(pruned).toMatchObject({ removed: [{ sessionId: manager.sessionId }], failed: [] });
  expect(existsSync(sessionDir)).toBe(false);
});

describe.skipIf(!canTrace)("under strace", () => {
  test("whatever a power cut takes that was not synced, nothing is lost that anybody was told", async () => {
    const run = await traced("power");
    expect(run.told.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["sent", "mail"]));
    expect(run.told.filter(({ kind }) => kind === "end")).toHaveLength(9);
    for (const cut of ["late", "early"] as const) {
      const { cuts, losses } = await lossesOf(run, { every: 3, cut });
      expect(cuts).toBeGreaterThan(20);
      expect({ cut, losses }).toEqual({ cut, losses: [] });
    }
  });

  test("without syncs it is, so the test above can fail", async () => {
    const run = await traced("process");
    for (const cut of ["late", "early"] as const) {
      const { losses } = await lossesOf(run, { every: 20, cut });
      expect(losses.length).toBeGreaterThan(0);
    }
    expect(run.trace).not.toMatch(/^\d+ +f(data)?sync\(/m);
  });

  test("an event whose sync fails is told to nobody, and its agent fails", async () => {
    const { told, life } = await traced("power", ["-e", "inject=fdatasync:error=EIO"]);
    expect(told).toEqual([{ kind: "end", agentId: expect.any(String) as string, state: "failed" }]);
    const [agent] = await findAgents(life.configDir);
    expect(agent?.record).toMatchObject({ state: "failed", end: { error: { code: "storage" } } });
    expect(agent?.record.end).toMatchObject({
      error: { message: expect.stringContaining("EIO") as string },
    });
  });
});
