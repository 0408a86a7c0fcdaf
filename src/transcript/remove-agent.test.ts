import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAgent, type AgentOnDisk } from "./agent-on-disk.ts";
import { removeAgent } from "./remove-agent.ts";
import {
  addSession,
  alive,
  configDirectory,
  leaseText,
  metaText,
  tree,
  writeOld,
} from "./session-fixture.ts";

async function agentAt(path: string): Promise<AgentOnDisk> {
  const agent = await readAgent(path);
  if (agent === undefined) throw new Error(`${path} is no agent`);
  return agent;
}

const closed = { sessionIsOpen: false };

test("all that belongs to an agent goes: under its name, of its calls, and its open questions", async () => {
  const directory = addSession(configDirectory(), "s", { days: 0 });
  const call = { type: "tool_use", id: "toolu_1:x", name: "Bash", input: {} };
  const copied = { type: "tool_use", id: "toolu_2", name: "Bash", input: {} };
  const said = (block: object): object => ({
    type: "assistant",
    message: { id: "m", model: "m", content: [block] },
  });
  const launched = (id: string): object => ({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "" }] },
    toolUseResult: { backgroundTaskId: id },
  });
  const lines = [
    ...[said(copied), launched("b2"), { type: "retinue-branch", from: "a12" }],
    ...[said(call), launched("b1")],
  ];
  const own = {
    "subagents/agent-a1.jsonl": lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    "subagents/agent-a1.jsonl.bad": "{ torn\n",
    "subagents/agent-a1.meta.json.new": "half of wh",
    "tasks/b1.output": "of its command",
    "tool-results/a1.2.txt": "long result of its second run",
    "tool-results/a1.call.toolu_1_x.txt": "long output",
    "tool-results/a1-plan.md": "plan",
    "tasks/a1.output": "so far",
    "ended/a1": "",
    "inbox/q00000001.json": JSON.stringify({ request: { agentId: "a1" } }),
  };
  const others = {
    "tool-results/a12.txt": "of another",
    "tool-results/a1-plan.md.txt": "of another",
    "tool-results/toolu_2.txt": "of another",
    "tasks/a1-b.output": "of another",
    "ended/a12": "",
    "tasks/b2.output": "of another",
    "inbox/q00000002.json": JSON.stringify({ request: { agentId: "a12" } }),
    "inbox/q00000003.json": "{ torn",
  };
  const before = tree(directory);
  for (const [name, text] of Object.entries({ ...own, ...others }))
    writeOld(join(directory, name), text, 0);
  await removeAgent(await agentAt(join(directory, "subagents/agent-a1.meta.json")), closed);
  const gone = new Set(["agent-a1.jsonl", "agent-a1.meta.json"].map((name) => `subagents/${name}`));
  gone.add("tool-results/a1.txt");
  const left = [...before.filter((name) => !gone.has(name)), ...Object.keys(others)];
  expect(tree(directory)).toEqual([...new Set([...left, "ended", "tasks"])].toSorted());
});

test("a removal that broke off before its last file is finished by the next", async () => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 0 });
  const child = await agentAt(join(directory, "subagents/agent-a1.meta.json"));
  rmSync(child.transcript);
  await removeAgent(await agentAt(child.file), closed);
  expect(await readAgent(child.file)).toBeUndefined();
  const main = await agentAt(join(directory, "main.meta.json"));
  await removeAgent(main, closed);
  expect(tree(config)).toEqual(["projects", "projects/p"]);
});

test("with the last agent the session goes, unless it is open here or held by another process", async () => {
  const config = configDirectory();
  const kept: string[] = [];
  for (const session of ["open", "held", "free"]) {
    const file = join(config, "projects/p", session, "main.meta.json");
    writeOld(file, metaText(session, session), 0);
    writeOld(join(file, "../audit.jsonl"), "{}\n", 0);
    if (session === "held") writeOld(join(file, "../lease.json"), leaseText(), 0);
    await removeAgent(await agentAt(file), { sessionIsOpen: session === "open" });
    if (existsSync(join(file, "../audit.jsonl"))) kept.push(session);
  }
  expect(kept).toEqual(["open", "held"]);
});

test("an agent that has not ended, and a main agent above one, are refused and stay whole", async () => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 0 });
  const file = join(directory, "subagents/agent-a2.meta.json");
  writeOld(file, metaText("s", "a2", { state: "waiting", ...alive }), 0);
  const before = tree(config);
  await expect(removeAgent(await agentAt(file), closed)).rejects.toMatchObject({
    code: "agent_busy",
    message: `Agent a2 is waiting in process ${process.pid}. Stop it first, then remove it.`,
  });
  const main = await agentAt(join(directory, "main.meta.json"));
  await expect(removeAgent(main, closed)).rejects.toMatchObject({
    code: "agent_busy",
    message: expect.stringContaining("a2, which is waiting") as string,
  });
  expect(tree(config)).toEqual(before);
});

const elsewhere = { pid: 7, pidStart: "70", pidNamespace: "pid:[1]" };

test.each([
  ["runs in", { pid: 7, pidStart: "70" }, "running"],
  ["was interrupted before", { pid: 8, pidStart: "80" }, "interrupted"],
])("an agent that %s a session of another pid namespace is refused", async (_, by, state) => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 0 });
  const file = join(directory, "subagents/agent-a2.meta.json");
  writeOld(file, metaText("s", "a2", { state: "running", ...by }), 0);
  writeOld(join(directory, "lease.json"), leaseText(elsewhere), 0);
  const before = tree(config);
  const agent = await agentAt(file);
  expect(agent.record.state).toBe(state);
  await expect(removeAgent(agent, closed)).rejects.toMatchObject({ code: "agent_busy" });
  expect(tree(config)).toEqual(before);
});
