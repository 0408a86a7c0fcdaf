import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tree } from "../src/transcript/session-fixture.ts";
import { setStage } from "./support/stage.ts";

const delegating = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { subagent_type: Explore, description: look, prompt: look } }] }
  - { agent: main, turn: 2, reply: done }
  - { agent: Explore, turn: 1, reply: [{ call: Glob, input: { pattern: "*" } }] }
  - { agent: Explore, turn: 2, reply: found }
`;

async function runToEnd(
  scenario: string,
): Promise<ReturnType<typeof setStage> & { main: string; child: string }> {
  const stage = setStage(scenario);
  const main = await stage.manager.main({ prompt: "go" });
  await stage.manager.output(main.id, { block: true });
  const child = stage.manager.list({ all: true }).find(({ id }) => id !== main.id);
  return { ...stage, main: main.id, child: child?.id ?? "" };
}

test("list names every agent of the session with its state and its file", async () => {
  const { manager, main, child } = await runToEnd(delegating);
  const rows = await manager.transcripts.list();
  expect(rows.map(({ agentId, type, state }) => ({ agentId, type, state }))).toEqual([
    { agentId: main, type: "main", state: "completed" },
    { agentId: child, type: "Explore", state: "completed" },
  ]);
  expect(rows.map(({ path }) => existsSync(path))).toEqual([true, true]);
  expect(rows[0]?.path).toBe(manager.transcripts.main);
});

test("load gives the lines, and the conversation as it was sent", async () => {
  const { manager, child, requests } = await runToEnd(delegating);
  const { entries, messages } = await manager.transcripts.load(child);
  expect(entries.filter(({ kind }) => kind === "answer")).toHaveLength(2);
  const sent = requests.findLast(({ origin }) => origin.agentId === child)?.messages ?? [];
  expect(messages.slice(0, -1)).toEqual(sent);
  expect(messages.at(-1)).toEqual({
    role: "assistant",
    content: [{ type: "text", text: "found" }],
  });
});

test("a note of the host is a chained line that readers see as a notice, without secrets", async () => {
  const { manager, child } = await runToEnd(delegating);
  const key = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
  await Promise.all([
    manager.transcripts.append(child, `reviewed with ${key}`),
    manager.transcripts.append(child, "second"),
  ]);
  const { entries, path } = await manager.transcripts.load(child);
  const notes = entries.slice(-2).map((entry) => entry.kind === "attachment" && entry.attachment);
  expect(notes).toEqual([
    { type: "notice", text: expect.stringMatching(/^reviewed with (?!ghp)/) as string },
    { type: "notice", text: "second" },
  ]);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const [before, first, second] = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => "uuid" in line)
    .slice(-3);
  expect(first).toMatchObject({ parentUuid: before?.["uuid"], agentId: child, isSidechain: true });
  expect(second).toMatchObject({ parentUuid: first?.["uuid"], sessionId: manager.sessionId });
  expect(Object.keys(first ?? {})).toEqual(
    expect.arrayContaining(["userType", "cwd", "version", "entrypoint"]),
  );
});

test("a note needs words, an agent, and that it has ended", async () => {
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]");
  const idle = await manager.spawn({ subagent_type: "Explore", description: "stands" });
  await expect(manager.transcripts.append(idle.id, "x")).rejects.toMatchObject({
    code: "agent_busy",
    message: `Agent ${idle.id} is idle. Stop it first: stop('${idle.id}').`,
  });
  await expect(manager.transcripts.append("a0", "x")).rejects.toMatchObject({
    code: "unknown_task",
  });
  await expect(manager.transcripts.load("../../main")).rejects.toMatchObject({
    code: "unknown_task",
  });
  expect(() => manager.transcripts.append(idle.id, " ")).toThrow(/needs a text/);
});

test("remove deletes all of an ended agent and nothing of the others", async () => {
  const long = "x".repeat(40_000);
  const { manager, main, child } = await runToEnd(`
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { subagent_type: Explore, description: look, prompt: look } }] }
  - { agent: main, turn: 2, reply: done }
  - { agent: Explore, turn: 1, reply: ${long} }
`);
  const directory = join(dirname(manager.transcripts.main), manager.sessionId);
  expect(tree(directory)).toContain(`tool-results/${child}.txt`);
  await manager.remove(child);
  expect(tree(directory).filter((name) => name.includes(child))).toEqual([]);
  expect(manager.get(child)).toBeUndefined();
  expect(await manager.transcripts.list()).toMatchObject([{ agentId: main }]);
  await expect(manager.remove(child)).rejects.toMatchObject({ code: "unknown_task" });
  await manager.remove(main);
  expect(existsSync(manager.transcripts.main)).toBe(false);
  expect(manager.list({ all: true })).toEqual([]);
});

test("remove refuses an agent that has not ended, and a main agent above one", async () => {
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]");
  const main = await manager.main({ prompt: "go" });
  await manager.output(main.id, { block: true });
  const idle = await manager.spawn({ subagent_type: "Explore", description: "stands" });
  await expect(manager.remove(idle.id)).rejects.toMatchObject({ code: "agent_busy" });
  await expect(manager.remove(main.id)).rejects.toMatchObject({
    code: "agent_busy",
    message: expect.stringContaining(idle.id) as string,
  });
  expect(existsSync(manager.transcripts.main)).toBe(true);
  await manager.stop(idle.id);
  await manager.remove(main.id);
  expect(await manager.transcripts.list()).toMatchObject([{ agentId: idle.id, state: "stopped" }]);
});

test("delete takes the files, and with them what was known of the agent; what it took stays in the totals", async () => {
  const { manager, child } = await runToEnd(delegating);
  expect(manager.get(child)).toMatchObject({ state: "completed" });
  const totals = manager.totals();
  await manager.transcripts.delete(child);
  expect(manager.get(child)).toBeUndefined();
  expect(manager.totals()).toEqual(totals);
  await expect(manager.transcripts.load(child)).rejects.toMatchObject({ code: "unknown_task" });
});
