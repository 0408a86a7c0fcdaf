import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Answer } from "../src/inbox/request.ts";
import type { InboxCheck } from "../src/inbox/run-checks.ts";
import { sequence } from "./support/stage.ts";
import { bash, report, setDesk, type Desk } from "./support/answering.ts";
import { until } from "./support/until.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";

const job = [bash("touch made"), report];

function filesOf({ manager }: Desk): string[] {
  return readdirSync(join(manager.transcripts.projectDir, manager.sessionId, "inbox"));
}

test("whoever waits for an answer holds no slot: with a limit of one a second agent runs", async () => {
  const desk = setDesk({ first: job, second: ["done"] }, { limits: { maxRunning: 1 } });
  const first = await desk.work("first");
  const [request] = await desk.open(1);
  const second = await desk.work("second");
  expect(await desk.reported(second)).toBe("done");
  expect(desk.manager.get(first)?.state).toBe("waiting");
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once" });
  await desk.reported(first);
  expect(sequence(desk.events, first)).toEqual([
    "agent-start",
    "prompt",
    "turn-start",
    "assistant-message",
    "tool-call-start Bash",
    "permission-request",
    "agent-wait",
    "agent-wake",
    "permission-answer",
    "tool-call-end Bash",
    "turn-start",
    "assistant-message",
    "agent-end",
  ]);
});

test("the clock of an agent stands still while it waits for an answer", async () => {
  const clock = new TestClock();
  const desk = setDesk({ first: job }, { clock });
  const first = await desk.work("first", { timeout: 2000 });
  const [request] = await desk.open(1);
  await until(() => desk.of("agent-wait").length === 1);
  // Longer than it may run.
  clock.advance(2500);
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once" });
  expect(await desk.manager.output(first, { block: true })).toMatchObject({ state: "completed" });
});

test("stopping an agent that waits withdraws its question, and no other", async () => {
  const desk = setDesk({ first: job, second: job });
  const [first, second] = [await desk.work("first"), await desk.work("second")];
  const open = await desk.open(2);
  await desk.manager.stop(first);
  expect(desk.manager.inbox.list()).toMatchObject([{ agentId: second }]);
  expect(filesOf(desk)).toEqual([`${desk.manager.inbox.list()[0]?.id}.json`]);
  const own = open.find(({ agentId }) => agentId === first)?.id ?? "";
  await expect(
    desk.manager.inbox.answer(own, { verdict: "allow", scope: "session" }),
  ).rejects.toThrow(/settled/);
  expect(desk.has("made")).toBe(false);
  expect(desk.audit().map(({ fact, id }) => [fact, id === own])).toContainEqual([
    "withdrawn",
    true,
  ]);
});

test("closing the manager withdraws what is open, and nothing of it runs", async () => {
  const desk = setDesk({ first: job, second: job });
  await desk.work("first");
  await desk.work("second");
  await desk.open(2);
  const settled: unknown[] = [];
  desk.manager.inbox.subscribe((event) => {
    if (event.type === "settled") settled.push(event.answered);
  });
  await desk.manager.close();
  expect(settled).toEqual([null, null]);
  expect(filesOf(desk)).toEqual([]);
  expect(desk.audit().map(({ fact }) => fact)).toEqual([
    "asked",
    "asked",
    "withdrawn",
    "withdrawn",
  ]);
  expect(desk.has("made")).toBe(false);
});

test("when the last one who could answer goes away, what is open is denied", async () => {
  const desk = setDesk({ first: job }, { inbox: {} });
  const leave = desk.manager.inbox.subscribe(() => undefined);
  const first = await desk.work("first");
  await desk.open(1);
  leave();
  expect(await desk.reported(first)).toContain("No person can answer in this session");
  expect(desk.of("permission-answer")).toMatchObject([{ allowed: false, by: "nobody" }]);
});

test("an automated check answers first, and counts as somebody who can answer", async () => {
  const seen: unknown[] = [];
  const check: InboxCheck = async ({ tool, input }) => {
    seen.push(input["command"]);
    return tool === "Bash" && input["command"] === "touch made"
      ? { verdict: "allow", scope: "once" }
      : null;
  };
  const desk = setDesk(
    { first: [bash("touch made"), bash("touch other"), report] },
    { inbox: { checks: [check] } },
  );
  const first = await desk.work("first");
  // What the check passes on goes to nobody here.
  expect(await desk.reported(first)).toContain("No person can answer in this session");
  expect(seen).toEqual(["touch made", "touch other"]);
  expect(desk.of("permission-answer").map(({ allowed, by }) => [allowed, by])).toEqual([
    [true, "check"],
    [false, "nobody"],
  ]);
  expect([desk.has("made"), desk.has("other")]).toEqual([true, false]);
});

test("a check that fails, or answers nonsense, is passed over and a person is asked", async () => {
  const warn = vi.fn<(fields: object, message: string) => void>();
  const logger = { info: () => undefined, warn, child: () => logger };
  const checks: InboxCheck[] = [
    () => Promise.reject(new Error("down")),
    async () => ({ verdict: "perhaps" }) as never,
  ];
  const desk = setDesk({ first: job }, { inbox: { attended: true, checks }, logger });
  const first = await desk.work("first");
  const [request] = await desk.open(1);
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once" });
  await desk.reported(first);
  expect(desk.has("made")).toBe(true);
  expect(warn.mock.calls.filter(([, text]) => text.startsWith("A check failed"))).toHaveLength(2);
});

test("the third denial of the same call tells the agent to stop trying", async () => {
  const call = bash("touch made");
  const desk = setDesk({ first: [call, call, bash("touch other"), call, report] });
  const first = await desk.work("first");
  for (let count = 0; count < 4; count += 1) {
    const [request] = await desk.open(1);
    await desk.manager.inbox.answer(request?.id ?? "", { verdict: "deny", message: `no ${count}` });
  }
  expect(await desk.reported(first)).toMatch(
    /^Permission denied: no 3\nThis very call has now been denied 3 times/,
  );
  const results = desk.of("tool-call-end").map(({ result }) => JSON.stringify(result.content));
  expect(results.map((text) => text.includes("Stop trying"))).toEqual([false, false, false, true]);
});

test("the audit log has one line for each fact, with the call that it is about", async () => {
  const desk = setDesk({ first: [bash("touch made"), bash("touch other"), "done"] });
  const first = await desk.work("first");
  const [one] = await desk.open(1);
  await desk.manager.inbox.answer(one?.id ?? "", { verdict: "allow", scope: "agent" });
  await until(() => expect(desk.manager.inbox.list()[0]?.id).not.toBe(one?.id));
  const [two] = await desk.open(1);
  await desk.manager.inbox.answer(two?.id ?? "", { verdict: "deny", message: "no" }, "somebody");
  await desk.reported(first);
  const who = { agentId: first, agentType: "worker", label: ["worker"], tool: "Bash" };
  expect(desk.audit()).toMatchObject([
    { ...who, fact: "asked", id: one?.id, input: { command: "touch made" } },
    {
      ...who,
      fact: "answered",
      id: one?.id,
      by: "host",
      scope: "agent",
      rules: ["Bash(touch made)"],
    },
    { ...who, fact: "asked", id: two?.id, input: { command: "touch other" } },
    { ...who, fact: "denied", id: two?.id, by: "somebody", verdict: "deny", message: "no" },
  ]);
  expect(desk.audit()).toHaveLength(4);
  const calls = desk.events.flatMap((event) =>
    event.type === "permission-request" ? [event.call.id] : [],
  );
  expect(calls).toHaveLength(2);
  expect(desk.audit().map(({ toolUseId }) => toolUseId)).toEqual(calls.flatMap((id) => [id, id]));
});

test("no secret of a command, a rule or a message stays behind in the log or the inbox", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const desk = setDesk({
    first: [bash(`touch made # ${secret}`), bash(`touch ${secret}`), "done"],
  });
  const first = await desk.work("first");
  const answers: Answer[] = [
    {
      verdict: "allow",
      scope: "agent",
      rules: [`Bash(touch made # ${secret})`, "Bash(touch made)"],
    },
    { verdict: "deny", message: `not ${secret}` },
  ];
  for (const answer of answers) {
    const [request] = await desk.open(1);
    // Whoever answers sees all of it.
    expect(JSON.stringify(request?.input)).toContain(secret);
    await desk.manager.inbox.answer(request?.id ?? "", answer);
  }
  await desk.reported(first);
  expect(desk.audit()).toHaveLength(4);
  expect(JSON.stringify(desk.audit())).toContain("[redacted:github-token]");
  expect(JSON.stringify(desk.audit())).not.toContain(secret);
  expect(JSON.stringify(desk.events)).not.toContain(secret);
  expect(filesOf(desk)).toEqual([]);
});
