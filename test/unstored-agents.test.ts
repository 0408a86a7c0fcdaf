import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Manager } from "../src/index.ts";
import { setStage } from "./support/stage.ts";

test("a transcript that cannot be written ends the agent with a typed failure", async () => {
  const { manager } = setStage("turns: [{ reply: ok }]");
  const sessionDir = join(manager.transcripts.projectDir, manager.sessionId);
  rmSync(sessionDir, { recursive: true });
  writeFileSync(sessionDir, "in the way");
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  expect(await manager.output(agent.id, { block: true })).toMatchObject({
    state: "failed",
    error: { code: "storage" },
  });
});

test("a transcript that cannot be written ends the task, gives the slot back, and nothing is left unhandled", async () => {
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]", {
    limits: { maxRunning: 1 },
  });
  const agent = await manager.spawn({ subagent_type: "Explore" });
  const sessionDir = join(manager.transcripts.projectDir, manager.sessionId);
  mkdirSync(join(sessionDir, "subagents", `agent-${agent.id}.jsonl`));
  expect(await manager.process(agent.id, "x")).toMatchObject({
    state: "failed",
    error: { code: "storage" },
  });
  const next = await manager.spawn({ prompt: "y", subagent_type: "Explore" });
  expect(await manager.output(next.id, { block: true })).toMatchObject({ state: "completed" });
});

test("an end that cannot be stored is no success", async () => {
  const { manager, cwd } = setStage(
    'turns: [{ turn: 1, reply: [{ call: Bash, input: { command: "sh block" } }] }, { turn: 2, reply: done }]',
    { allowedTools: ["Bash"] },
  );
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash", name: "late" });
  const meta = join(
    manager.transcripts.projectDir,
    manager.sessionId,
    "subagents",
    `agent-${agent.id}.meta.json`,
  );
  // A directory where the file should go: every later write of it fails.
  writeFileSync(join(cwd, "block"), `rm -f '${meta}' && mkdir '${meta}'`);
  expect(await manager.output(agent.id, { block: true })).toMatchObject({
    state: "failed",
    error: { code: "storage" },
  });
});

test("an idle agent that cannot be stored is announced to nobody", async () => {
  const { manager, events } = setStage("turns: [{ reply: ok }]");
  const sessionDir = join(manager.transcripts.projectDir, manager.sessionId);
  rmSync(sessionDir, { recursive: true });
  writeFileSync(sessionDir, "in the way");
  await expect(manager.spawn({ subagent_type: "Explore" })).rejects.toMatchObject({
    code: "storage",
  });
  expect(events).toEqual([]);
  expect(manager.list({ all: true })).toEqual([]);
});

/** An agent that has said "ok". What is given to `onceRead` happens when somebody has read its files, and written nothing yet. */
async function endedAgent(): Promise<{
  manager: Manager;
  id: string;
  agents: string;
  onceRead: (act: () => void) => void;
}> {
  let act: (() => void) | undefined;
  const now = (): number => {
    act?.();
    act = undefined;
    return Date.now();
  };
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]", { clock: { now } });
  const { id } = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  await manager.output(id, { block: true });
  const agents = join(manager.transcripts.projectDir, manager.sessionId, "subagents");
  return { manager, id, agents, onceRead: (next) => (act = next) };
}

/** One that goes on, and whose files with these endings cannot be written any more. */
async function goingOnWithout(
  endings: readonly string[],
): Promise<{ manager: Manager; id: string }> {
  const { manager, id, agents, onceRead } = await endedAgent();
  onceRead(() => {
    for (const ending of endings) {
      const path = join(agents, `agent-${id}.${ending}`);
      rmSync(path);
      mkdirSync(path);
    }
  });
  await manager.resume(id, { prompt: "again" });
  await manager.output(id, { block: true });
  return { manager, id };
}

test("an agent that goes on and cannot be stored any more stays known, with how that ended", async () => {
  const { manager, id } = await goingOnWithout(["meta.json", "jsonl"]);
  expect(manager.get(id)).toMatchObject({ state: "failed" });
  expect(await manager.output(id)).toMatchObject({ error: { code: "storage" } });
});

test("an agent whose transcript cannot be written any more can still be asked what it said", async () => {
  const { manager, id } = await goingOnWithout(["jsonl"]);
  expect(await manager.output(id)).toMatchObject({
    state: "failed",
    content: "",
    error: { code: "storage" },
  });
});

test("a copy that cannot be written is refused, and is no agent", async () => {
  const { manager, id, agents, onceRead } = await endedAgent();
  onceRead(() => {
    rmSync(agents, { recursive: true });
    writeFileSync(agents, "in the way");
  });
  await expect(manager.branch(id, { prompt: "again" })).rejects.toMatchObject({ code: "storage" });
  expect(manager.list()).toEqual([]);
  expect(manager.capacity()).toMatchObject({ running: 0 });
});
