import { expect, test } from "vitest";
import { report, setDesk, worker, type Desk } from "./support/answering.ts";

const options = ["Postgres", "SQLite"].map((label) => ({ label, description: "" }));
const question = { question: "Which database?", header: "Database", options };
const ask = { call: "AskUserQuestion", input: { questions: [question] } };
const agents = { asker: { ...worker, tools: ["AskUserQuestion"] } };
const replies = { job: [ask, report] };

async function asking(options: Parameters<typeof setDesk>[1] = {}): Promise<Desk & { id: string }> {
  const desk = setDesk(replies, { agents, ...options });
  return { ...desk, id: await desk.work("job", { subagent_type: "asker" }) };
}

test("a question reaches a person, and the agent reads the answer", async () => {
  const desk = await asking();
  const [request] = await desk.open(1);
  expect(request).toMatchObject({
    kind: "question",
    tool: "AskUserQuestion",
    agentId: desk.id,
    input: { questions: [{ ...question, multiSelect: false }] },
  });
  expect(desk.manager.get(desk.id)?.state).toBe("waiting");
  const { inbox } = desk.manager;
  const id = request?.id ?? "";
  await expect(inbox.answer(id, { verdict: "allow", scope: "once" })).rejects.toThrow(
    /it is a question/,
  );
  await inbox.answer(id, { verdict: "reply", answers: { "Which database?": "SQLite" } });
  expect(await desk.reported(desk.id)).toBe("The user answered:\nWhich database?\n→ SQLite");
  expect(desk.of("agent-wait")).toMatchObject([{ reason: "question" }]);
  expect(desk.of("permission-request")).toEqual([]);
});

test("a question that somebody does not want to answer leaves the decision to the agent", async () => {
  const desk = await asking();
  const [request] = await desk.open(1);
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "deny", message: "Your choice." });
  expect(await desk.reported(desk.id)).toMatch(/^Your choice\. Go on with the assumption/);
  expect(desk.of("permission-deny")).toEqual([]);
});

test("where nobody can answer a question is denied at once", async () => {
  const desk = await asking({ inbox: {} });
  expect(await desk.reported(desk.id)).toMatch(/^Permission denied: A person answers questions/);
  expect(desk.of("permission-deny")).toHaveLength(1);
});

test("a check does not answer for a person: without one the agent is told to decide itself", async () => {
  const desk = await asking({ inbox: { checks: [async () => null] } });
  expect(await desk.reported(desk.id)).toMatch(/^No person can answer in this session.*Go on with/);
});

test("a question is asked in every mode but dontAsk", async () => {
  const desk = await asking({ permissionMode: "acceptEdits", allowedTools: ["AskUserQuestion"] });
  const [request] = await desk.open(1);
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "deny" });
  await desk.reported(desk.id);
  const silent = await asking({ permissionMode: "dontAsk" });
  expect(await silent.reported(silent.id)).toContain("In the mode dontAsk nobody is asked");
});

test("an agent in the background has no such tool, and is told which ones it has", async () => {
  const background = { asker: { ...worker, tools: ["AskUserQuestion", "Read"], background: true } };
  const desk = await asking({ agents: background });
  expect(await desk.reported(desk.id)).toBe(
    "There is no tool 'AskUserQuestion' here. Available tools: Read",
  );
});
