import { existsSync, globSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answerRequest } from "../src/control/answer-request.ts";
import type { AgentId } from "../src/contract/ids.ts";
import { findRequests } from "../src/inbox/find-requests.ts";
import { readAudit } from "../src/inbox/audit.ts";
import { keepMessage } from "../src/lifecycle/mail/sent-mail.ts";
import { sessionPaths } from "../src/transcript/paths.ts";
import { bash, report, setDesk, worker, type Desk } from "./support/answering.ts";
import { startCrashing, type Crashing } from "./support/crash.ts";
import { sequence, setStage } from "./support/stage.ts";
import { untilGo } from "./support/quiet-agent.ts";
import { until, untilExists } from "./support/until.ts";

const plan = "# Plan\n\n1. Do it.";
const exit = { call: "ExitPlanMode", input: { plan } };
const write = (name: string): object => ({
  call: "Write",
  input: { file_path: name, content: "" },
});
const delegate = { call: "Agent", input: { description: "d", prompt: "child" } };

async function planning(
  replies: Record<string, readonly (string | object)[]>,
  options: Parameters<typeof setDesk>[1] = {},
): Promise<Desk & { id: string }> {
  const desk = setDesk(replies, { permissionMode: "plan", ...options });
  return { ...desk, id: (await desk.manager.main({ prompt: "job" })).id };
}

function keptPlan(data: unknown): string {
  return (data as { filePath: string }).filePath;
}

test("an agent that plans hands its plan over; where nobody can approve it is kept, and the agent is told", async () => {
  const desk = await planning({ job: [exit, report] }, { inbox: {} });
  expect(await desk.reported(desk.id)).toContain("still in plan mode");
  const [end] = desk.of("tool-call-end");
  expect(end?.data).toMatchObject({ plan, approved: false });
  const filePath = keptPlan(end?.data);
  expect(readFileSync(filePath, "utf8")).toBe(`${plan}\n`);
  expect(statSync(filePath).mode & 0o777).toBe(0o600);
  expect(desk.of("permission-request")).toEqual([]);
});

test("no other agent has the tool", async () => {
  const { manager, requests } = setStage("turns: [{ turn: 1, reply: fine }]");
  const main = await manager.main({ prompt: "x" });
  await manager.output(main.id, { block: true });
  expect(requests[0]?.tools.map(({ name }) => name)).not.toContain("ExitPlanMode");
});

test("an approved plan returns the agent to the mode before: the rest of its task is decided in that", async () => {
  const desk = await planning(
    { job: [write("early"), exit, write("late"), bash("touch later"), report] },
    { allowedTools: ["Edit"] },
  );
  const [request] = await desk.open(1);
  expect(request).toMatchObject({
    kind: "plan",
    tool: "ExitPlanMode",
    input: { plan },
    mode: "default",
    suggestions: [],
    reason: expect.stringMatching(
      /stored in .*-plan\.md\. If you approve it, .* mode default/,
    ) as string,
  });
  expect([desk.has("early"), desk.manager.get(desk.id)?.state]).toEqual([false, "waiting"]);
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once" });
  // What no rule allows is asked now, as in any agent in `default`.
  const [touch] = await desk.open(1);
  expect(touch).toMatchObject({ tool: "Bash", suggestions: ["Bash(touch later)"] });
  expect(desk.has("late")).toBe(true);
  await desk.manager.inbox.answer(touch?.id ?? "", { verdict: "allow", scope: "once" });
  await desk.reported(desk.id);
  expect(desk.has("later")).toBe(true);
  expect(desk.of("mode-change")).toMatchObject([{ from: "plan", to: "default", by: "host" }]);
  expect(sequence(desk.events, desk.id).slice(8, 17)).toEqual([
    "assistant-message",
    "tool-call-start ExitPlanMode",
    "permission-request",
    "agent-wait",
    "agent-wake",
    "permission-answer",
    "mode-change",
    "tool-call-end ExitPlanMode",
    "turn-start",
  ]);
  expect(desk.audit().filter(({ tool }) => tool === "ExitPlanMode")).toMatchObject([
    { fact: "asked" },
    { fact: "answered", verdict: "allow", by: "host", mode: "default" },
  ]);
});

test("an agent whose plan is denied reads why, stays in plan mode and may hand over another", async () => {
  const desk = await planning(
    { job: [exit, write("early"), exit, write("late"), "done"] },
    { allowedTools: ["Edit"] },
  );
  const [first] = await desk.open(1);
  const message = "Say which files.";
  await desk.manager.inbox.answer(first?.id ?? "", { verdict: "deny", message });
  const [second] = await desk.open(1);
  expect(desk.has("early")).toBe(false);
  const [denied] = desk.of("tool-call-end");
  expect(JSON.stringify(denied?.result.content)).toMatch(
    /not approved: Say which files\..*still in plan mode/,
  );
  expect(desk.of("mode-change")).toEqual([]);
  await desk.manager.inbox.answer(second?.id ?? "", { verdict: "allow", scope: "once" });
  await desk.reported(desk.id);
  expect(desk.has("late")).toBe(true);
});

test("a person may change the plan: the agent reads what was approved, and that is kept", async () => {
  const desk = await planning({ job: [exit, report] });
  const [request] = await desk.open(1);
  const input = { plan: "Do less." };
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once", input });
  expect(await desk.reported(desk.id)).toContain("it now reads:\nDo less.");
  const filePath = keptPlan(desk.of("tool-call-end")[0]?.data);
  expect(readFileSync(filePath, "utf8")).toBe("Do less.\n");
});

test("no grant approves a plan, and a plan is approved once", async () => {
  const desk = setDesk({ job: [exit, "done"] }, { permissionMode: "plan" });
  const planner = await desk.work("job", { subagent_type: "general-purpose" });
  const [request] = await desk.open(1);
  const id = request?.id ?? "";
  const { inbox } = desk.manager;
  for (const scope of ["agent", "session", "always"] as const) {
    const rules = ["ExitPlanMode"];
    await expect(inbox.answer(id, { verdict: "allow", scope, rules })).rejects.toThrow(/once/);
  }
  await expect(inbox.answer(id, { verdict: "reply", answers: {} })).rejects.toThrow(/permission/);
  expect(inbox.list()).toHaveLength(1);
  await inbox.answer(id, { verdict: "deny" });
  await desk.reported(planner);
});

test("a session-wide grant for another agent leaves an open plan alone", async () => {
  const desk = setDesk(
    { job: [exit, "done"], other: [bash("touch made"), "done"] },
    { agents: { worker, planner: { ...worker, tools: ["ExitPlanMode"], permissionMode: "plan" } } },
  );
  const planner = await desk.work("job", { subagent_type: "planner" });
  await desk.open(1);
  const other = await desk.work("other");
  const [, touch] = await desk.open(2);
  await desk.manager.inbox.answer(touch?.id ?? "", { verdict: "allow", scope: "session" });
  await desk.reported(other);
  expect(desk.manager.inbox.list()).toMatchObject([{ kind: "plan", agentId: planner }]);
  await desk.manager.inbox.answer(desk.manager.inbox.list()[0]?.id ?? "", { verdict: "deny" });
  await desk.reported(planner);
});

test("a child below an agent that plans stays in plan mode: nobody is asked, and its plan is handed over", async () => {
  const desk = await planning(
    { job: [delegate, report], child: [exit, write("made"), "planned"] },
    { allowedTools: ["Edit"] },
  );
  await desk.reported(desk.id);
  const end = desk.of("tool-call-end").find(({ call }) => call.name === "ExitPlanMode");
  expect(JSON.stringify(end?.result.content)).toContain("you stay in plan mode");
  expect([desk.has("made"), desk.of("mode-change"), desk.audit()]).toEqual([false, [], []]);
});

test("children that are spawned after the plan was approved work in the mode that it led to", async () => {
  const desk = await planning(
    { job: [exit, delegate, "done"], child: [write("made"), "wrote"] },
    { allowedTools: ["Edit"] },
  );
  const [request] = await desk.open(1);
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once" });
  await desk.reported(desk.id);
  expect(desk.has("made")).toBe(true);
  const starts = desk.of("agent-start").map(({ agent }) => agent.permissionMode);
  expect(starts).toEqual(["plan", "default"]);
});

test("an approved plan is one of its task: the next task of a standing agent is planned again", async () => {
  const planner = { ...worker, tools: ["ExitPlanMode", "Write"], permissionMode: "plan" };
  const desk = setDesk(
    { one: [exit, write("first"), "done", write("second"), "done"] },
    { agents: { planner }, allowedTools: ["Edit"] },
  );
  const { manager } = desk;
  const row = await manager.spawn({ subagent_type: "planner" });
  const first = manager.process(row.id, "one");
  const [request] = await desk.open(1);
  await manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once" });
  await first;
  await manager.process(row.id, "two");
  expect([desk.has("first"), desk.has("second")]).toEqual([true, false]);
  expect(desk.of("permission-deny")).toMatchObject([{ call: { name: "Write" } }]);
});

const crashScript = JSON.stringify({
  turns: [
    { agent: "main", turn: 1, reply: [exit] },
    { agent: "main", turn: 2, reply: [bash(`touch first; ${untilGo}`)] },
    { agent: "main", turn: 3, reply: [bash(`touch second; ${untilGo}`)] },
    { agent: "main", turn: 4, reply: [write("made")] },
    { agent: "main", turn: 5, reply: "done" },
  ],
});

/** Its plan was approved, and it was killed twice since. */
async function killedTwice(): Promise<Crashing> {
  const first = await startCrashing(crashScript, {
    permissionMode: "plan",
    allowedTools: ["Edit", "Bash"],
    inbox: { attended: true },
  });
  const has = (name: string): Promise<void> => untilExists(join(first.cwd, name));
  await approveFromOutside(first.configDir);
  await has("first");
  await first.kill();
  // In plan mode it would ask before this command.
  const second = await first.resume();
  await has("second");
  await second.kill();
  return second;
}

test("an approved plan survives kill -9: the agent goes on in the mode that it led to; a copy of it plans", async () => {
  const crashing = await killedTwice();
  const { cwd, configDir, mainId } = crashing;
  const [audit = ""] = globSync("projects/*/*/audit.jsonl", { cwd: configDir });
  expect(readAudit(join(configDir, audit)).map(({ fact, mode }) => [fact, mode])).toEqual([
    ["asked", undefined],
    ["answered", "default"],
  ]);
  const manager = crashing.reopen();
  await manager.resumeAll();
  await manager.output(mainId, { block: true });
  expect(existsSync(join(cwd, "made"))).toBe(true);
  rmSync(join(cwd, "made"));
  const copy = await manager.branch(mainId, { turn: 3, prompt: "again" });
  await manager.output(copy.id, { block: true });
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("after a resume with an approved plan no event and no line of the transcript says plan", async () => {
  const crashing = await killedTwice();
  const { configDir, mainId } = crashing;
  const manager = crashing.reopen();
  const modes: unknown[] = [];
  const events = manager.events();
  const heard = (async () => {
    for await (const event of events)
      if (event.type === "agent-start") modes.push(event.agent.permissionMode);
  })();
  // A message that nobody has read yet is the first thing that it reads.
  const paths = sessionPaths(manager.transcripts.projectDir, manager.sessionId);
  await keepMessage(
    paths.mail(mainId as AgentId),
    { text: "And hurry.", at: Date.now() },
    undefined,
  );
  await manager.resumeAll();
  await manager.output(mainId, { block: true });
  await manager.close();
  await heard;
  expect(modes).toEqual(["default"]);
  const [transcript = ""] = globSync("projects/*/*.jsonl", { cwd: configDir });
  const said = readFileSync(join(configDir, transcript), "utf8")
    .split("\n")
    .filter((line) => line.includes("And hurry.") && line.includes('"permissionMode"'));
  expect(
    said.map((line) => (JSON.parse(line) as { permissionMode: string }).permissionMode),
  ).toEqual(["default"]);
});

test("whoever resumes an agent in plan mode takes the approval of its plan back", async () => {
  const crashing = await killedTwice();
  const manager = crashing.reopen();
  await manager.resume(crashing.mainId, { mode: "plan" });
  await manager.output(crashing.mainId, { block: true });
  expect(existsSync(join(crashing.cwd, "made"))).toBe(false);
});

/** As `retinue approve` does, from another process than the one that asks. */
async function approveFromOutside(configDir: string): Promise<void> {
  const [found] = await until(() => {
    const all = findRequests(configDir);
    expect(all).toHaveLength(1);
    return all;
  });
  if (found === undefined) throw new Error("Nothing waits.");
  await answerRequest(found, { verdict: "allow", scope: "once" });
}
