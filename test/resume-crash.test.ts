import { existsSync, globSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createManager, createRehearsal, parseScenario } from "../src/index.ts";
import { findAgents } from "../src/transcript/agent-on-disk.ts";
import { startCrashing, type Crashing } from "./support/crash.ts";
import { setStage } from "./support/stage.ts";
import { quiet, untilGo } from "./support/quiet-agent.ts";
import { until, untilExists } from "./support/until.ts";

const options = { agents: { quiet }, allowedTools: ["Bash"] };

const background = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: d, prompt: one, subagent_type: quiet, run_in_background: true } }] }
  - { agent: main, turn: 2, reply: [{ call: Bash, input: { command: "touch main; ${untilGo}" } }] }
  - { agent: main, turn: 3, reply: "{{ last }}" }
  - { agent: main, turn: 4, reply: "{{ last }}" }
  - { agent: quiet, turn: 1, reply: [{ call: Bash, input: { command: "echo 1 >> effects; touch child; while [ -e stay ]; do sleep 0.02; done" } }] }
  - { agent: quiet, turn: 2, reply: "gold" }
`;

function pathOf({ configDir }: Crashing, pattern: string): string {
  const [file = "none"] = globSync(pattern, { cwd: configDir });
  return join(configDir, file);
}

function mainText(crashing: Crashing): string {
  return readFileSync(pathOf(crashing, `projects/*/${crashing.sessionId}.jsonl`), "utf8");
}

function mailIn(text: string): string[] {
  return [...text.matchAll(/"retinueMail":"([^"]+)"/g)].map(([, id = ""]) => id);
}

test("a child that ended while its parent was too busy to hear of it is told of after the crash, once", async () => {
  const crashing = await startCrashing(background, options);
  const { cwd, mainId } = crashing;
  await until(() => {
    const meta = pathOf(crashing, "projects/*/*/subagents/*.meta.json");
    expect(readFileSync(meta, "utf8")).toContain('"state":"completed"');
    expect(existsSync(join(cwd, "main"))).toBe(true);
  });
  await crashing.kill();
  expect(mailIn(mainText(crashing))).toEqual([]);
  writeFileSync(join(cwd, "go"), "");
  const manager = crashing.reopen();
  await manager.resumeAll();
  const { content } = await manager.output(mainId, { block: true });
  expect(content).toContain("<result>gold</result>");
  const child = manager.list({ all: true }).find(({ depth }) => depth === 1);
  expect(mailIn(mainText(crashing))).toEqual([`${child?.id}/1`]);
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("1\n");
});

test("a parent that was killed before it knew of its child's start finds the child again and starts no second one", async () => {
  const crashing = await startCrashing(background, { ...options, files: { stay: "" } });
  const { cwd, mainId, sessionId } = crashing;
  await until(() => {
    expect(existsSync(join(cwd, "child"))).toBe(true);
    expect(existsSync(join(cwd, "main"))).toBe(true);
  });
  await crashing.kill();
  // Up to the line that says that an agent is about to be started.
  const text = mainText(crashing);
  const intent = text.indexOf("\n", text.indexOf('"type":"retinue-step"')) + 1;
  truncateSync(
    pathOf(crashing, `projects/*/${sessionId}.jsonl`),
    Buffer.byteLength(text.slice(0, intent)),
  );
  writeFileSync(join(cwd, "go"), "");
  const manager = crashing.reopen();
  await manager.resumeAll();
  const { state } = await manager.output(mainId, { block: true });
  expect(state).toBe("completed");
  const children = manager.list({ all: true }).filter(({ depth }) => depth === 1);
  expect(children.map((child) => child.state)).toEqual(["completed"]);
  expect(mailIn(mainText(crashing))).toEqual([`${children[0]?.id}/1`]);
  expect(mainText(crashing).match(/"status":"async_launched"/g)).toHaveLength(1);
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("1\n");
});

/** As it was before its agent's end: what a process leaves that is killed after the last line of a transcript. */
function forgetEnd(metaPath: string, state = "running"): void {
  const meta = JSON.parse(readFileSync(metaPath, "utf8")) as { retinue: Record<string, unknown> };
  const open = { ...meta.retinue, state, endedAt: null, end: null, runs: 0, pid: 2 ** 30 };
  writeFileSync(metaPath, JSON.stringify({ ...meta, retinue: open }));
}

test("an agent whose process was killed between the last line of its transcript and the file beside it has ended", async () => {
  const crashing = await startCrashing(background, options);
  const { cwd, configDir, mainId } = crashing;
  const childMeta = (): string => pathOf(crashing, "projects/*/*/subagents/*.meta.json");
  await until(() => {
    expect(readFileSync(childMeta(), "utf8")).toContain('"state":"completed"');
    expect(existsSync(join(cwd, "main"))).toBe(true);
  });
  await crashing.kill();
  forgetEnd(childMeta());
  const states = async (): Promise<string[]> =>
    (await findAgents(configDir)).map(({ record }) => record.state);
  expect(await states()).toEqual(["interrupted", "completed"]);
  const first = crashing.reopen();
  await first.resumeAll();
  await first.output(mainId, { block: true });
  await first.close();
  expect(readFileSync(childMeta(), "utf8")).toContain('"state":"completed"');
  expect(mailIn(mainText(crashing))).toHaveLength(1);

  forgetEnd(pathOf(crashing, "projects/*/*/main.meta.json"));
  expect(await states()).toEqual(["completed", "completed"]);
  expect(await crashing.reopen().resumeAll()).toEqual({ interrupted: [], resumed: [], failed: [] });
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("1\n");
});

const patient = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Bash, input: { command: "echo 1 >> effects; touch first; ${untilGo}" } }] }
  - { agent: main, turn: 2, reply: [{ call: Bash, input: { command: "echo 2 >> effects; touch second; ${untilGo}" } }] }
  - { agent: main, turn: 3, reply: "done" }
`;

test("of two processes that resume a session at once one does, and the other is told that it is busy", async () => {
  const crashing = await startCrashing(patient, options);
  const { cwd, mainId } = crashing;
  await untilExists(join(cwd, "first"));
  await crashing.kill();
  const both = await Promise.allSettled([crashing.resume(), crashing.resume()]);
  const refused = both.filter((one) => one.status === "rejected");
  expect(refused.map(({ reason }) => String(reason))).toEqual([
    expect.stringContaining("session_busy"),
  ]);
  expect(() => crashing.reopen()).toThrow("belongs to process");
  await untilExists(join(cwd, "second"));
  const [second] = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  await second?.kill();
  const manager = crashing.reopen();
  await manager.resumeAll();
  const { state } = await manager.output(mainId, { block: true });
  expect(state).toBe("completed");
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("1\n2\n");
});

test("an agent hears, once, that its command in the background ended with its process; not of one whose end it knew", async () => {
  const scenario = `
turns:
  - { agent: main, turn: 1, reply: [
      { call: Bash, input: { command: "true", description: short, run_in_background: true } },
      { call: Bash, input: { command: "touch first; sleep 600", description: long, run_in_background: true } }] }
  - { agent: main, turn: 2, reply: [{ call: TaskOutput, input: { task_id: "{{ results.1 | match /as (b[0-9a-f]+)/ }}" } }] }
  - { agent: main, turn: 3, reply: [{ call: Bash, input: { command: "touch second; ${untilGo}" } }] }
  - { agent: main, turn: 4, reply: [{ call: Bash, input: { command: "touch third; ${untilGo}" } }] }
  - { agent: main, turn: 5, reply: "done" }
`;
  const first = await startCrashing(scenario, options);
  const { cwd, mainId } = first;
  const isThere = (name: string): Promise<void> => untilExists(join(cwd, name));
  await Promise.all([isThere("first"), isThere("second")]);
  await first.kill();
  const second = await first.resume();
  await isThere("third");
  await second.kill();
  const manager = first.reopen();
  await manager.resumeAll();
  await manager.output(mainId, { block: true });
  const lost = mainText(first)
    .split("\n")
    .filter((line) => line.includes("<status>interrupted</status>"));
  expect(lost).toHaveLength(1);
  expect(lost[0]).toContain('Background command \\"long\\" was interrupted: the process');
});

test("an agent that stood idle when its process was killed is not picked up, and no failure", async () => {
  const { manager, cwd, configDir } = setStage("turns: [{ reply: done }]", options);
  const { id } = await manager.spawn({ subagent_type: "quiet" });
  await manager.process(id, "one");
  await manager.close();
  const [file = ""] = globSync("projects/*/*/subagents/*.meta.json", { cwd: configDir });
  forgetEnd(join(configDir, file), "idle");
  const model = createRehearsal(parseScenario("turns: [{ reply: done }]", "scenario.yaml"));
  const again = createManager({ ...options, cwd, configDir, model, session: manager.sessionId });
  onTestFinished(() => again.close());
  expect(await again.resumeAll()).toEqual({ interrupted: [], resumed: [], failed: [] });
});
