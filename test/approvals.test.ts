import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createManager, createRehearsal, parseScenario } from "../src/index.ts";
import { bash, openOf, report, script, setDesk, worker } from "./support/answering.ts";

const twenty = Array.from({ length: 20 }, (_, index) => `n${index}`);

test("twenty agents that ask at once lose and duplicate no question, and each gets its own answer", async () => {
  const replies = Object.fromEntries(
    twenty.map((name) => [name, [bash(`touch ${name}`), report]] as const),
  );
  const desk = setDesk(replies, { limits: { maxRunning: 20 } });
  const heard: string[] = [];
  desk.manager.inbox.subscribe(({ type, request }) => void heard.push(`${type} ${request.id}`));
  const ids = await Promise.all(twenty.map((name) => desk.work(name)));
  const open = await desk.open(20);
  expect(open.map(({ input }) => String(input["command"])).toSorted()).toEqual(
    twenty.map((name) => `touch ${name}`).toSorted(),
  );
  expect(new Set(open.map(({ agentId }) => agentId))).toEqual(new Set(ids));
  const directory = join(desk.manager.transcripts.projectDir, desk.manager.sessionId, "inbox");
  expect(readdirSync(directory).toSorted()).toEqual(open.map(({ id }) => `${id}.json`).toSorted());
  // Every other one is allowed; the rest read why not.
  await Promise.all(
    open.map(({ id, input }) => {
      const number = Number(String(input["command"]).replace("touch n", ""));
      const denied = { verdict: "deny", message: `not ${number}` } as const;
      return desk.manager.inbox.answer(
        id,
        number % 2 === 0 ? { verdict: "allow", scope: "once" } : denied,
      );
    }),
  );
  for (const [number, id] of ids.entries()) {
    const said = await desk.reported(id);
    expect(desk.has(`n${number}`)).toBe(number % 2 === 0);
    if (number % 2 === 1) expect(said).toBe(`Permission denied: not ${number}`);
  }
  expect(heard.toSorted()).toEqual(
    open.flatMap(({ id }) => [`asked ${id}`, `settled ${id}`]).toSorted(),
  );
  expect(desk.of("permission-request")).toHaveLength(20);
  expect(desk.of("permission-answer")).toHaveLength(20);
  expect(readdirSync(directory)).toEqual([]);
});

test("an answer for one agent does not leak to another that asks the same", async () => {
  const same = [bash("touch made"), report];
  const desk = setDesk({ first: same, second: same });
  const [first, second] = [await desk.work("first"), await desk.work("second")];
  const open = await desk.open(2);
  const own = open.find(({ agentId }) => agentId === first)?.id ?? "";
  await desk.manager.inbox.answer(own, { verdict: "allow", scope: "agent" });
  await desk.reported(first);
  const left = await desk.open(1);
  expect(left).toMatchObject([{ agentId: second }]);
  await desk.manager.inbox.answer(left[0]?.id ?? "", { verdict: "deny", message: "not you" });
  expect(await desk.reported(second)).toBe("Permission denied: not you");
});

test("a background agent is denied visibly where nobody can answer", async () => {
  const desk = setDesk(
    {
      lead: [
        { call: "Agent", input: { description: "d", prompt: "job", subagent_type: "quiet" } },
        "I wait",
        "told",
      ],
      job: [bash("touch made"), "I could not"],
    },
    { inbox: {}, agents: { quiet: { ...worker, background: true } } },
  );
  const main = await desk.manager.main({ prompt: "lead" });
  await desk.reported(main.id);
  const said = desk.of("prompt", main.id).find(({ source }) => source === "notification")?.text;
  expect(desk.of("permission-deny")).toMatchObject([
    { call: { name: "Bash" }, reason: expect.stringContaining("Nobody can be asked") as string },
  ]);
  expect(desk.of("permission-request")).toEqual([]);
  expect(desk.has("made")).toBe(false);
  expect(said).toContain("I could not");
});

test("a question that nobody answers in time is denied, and the agent reads so", async () => {
  const desk = setDesk(
    { job: [bash("touch made"), report] },
    { inbox: { attended: true, timeoutMs: 50 } },
  );
  const id = await desk.work("job");
  expect(await desk.reported(id)).toBe("Permission denied: The question was not answered in time.");
  expect(desk.of("permission-answer")).toMatchObject([{ allowed: false, by: "deadline" }]);
  expect(desk.audit().map(({ fact }) => fact)).toEqual(["asked", "expired"]);
  expect(desk.has("made")).toBe(false);
});

test("a host may let a deadline allow once; a question for words is still not answered by it", async () => {
  const questions = [
    {
      question: "Which one?",
      header: "One",
      options: ["a", "b"].map((label) => ({ label, description: "" })),
    },
  ];
  const desk = setDesk(
    { job: [bash("touch made"), { call: "AskUserQuestion", input: { questions } }, report] },
    {
      inbox: { attended: true, timeoutMs: 50, onDeadline: "allow" },
      agents: { worker: { ...worker, tools: ["Bash", "AskUserQuestion"] } },
    },
  );
  const id = await desk.work("job");
  expect(await desk.reported(id)).toMatch(
    /^The question was not answered in time\. Go on with the assumption/,
  );
  expect(desk.of("permission-answer")).toMatchObject([{ allowed: true, by: "deadline" }]);
  expect(desk.has("made")).toBe(true);
});

const definition = (prompt: string): string =>
  `---\nname: painter\ndescription: d\ntools: Bash\n---\n${prompt}\n`;

test("what was granted to a type for always is asked again when its definition is edited", async () => {
  const replies = { job: [bash("touch made"), "done"] };
  const desk = setDesk(replies, {
    agents: {},
    files: { ".claude/agents/painter.md": definition("Paint.") },
  });
  const paint = (): Promise<string> => desk.work("job", { subagent_type: "painter" });
  const first = await paint();
  const [asked] = await desk.open(1);
  await desk.manager.inbox.answer(asked?.id ?? "", { verdict: "allow", scope: "agent-always" });
  await desk.reported(first);
  // The next one of this type runs unasked, also of another manager.
  expect(await desk.reported(await paint())).toBe("done");
  const model = createRehearsal(parseScenario(script(replies), "s.yaml"));
  const { cwd, configDir } = desk;
  await using other = createManager({ model, cwd, configDir, inbox: { attended: true } });
  const again = await other.spawn({ prompt: "job", subagent_type: "painter" });
  expect(await other.output(again.id, { block: true })).toMatchObject({ content: "done" });
  expect(desk.of("permission-request")).toHaveLength(1);

  writeFileSync(join(cwd, ".claude/agents/painter.md"), definition("Paint, and burn."));
  const edited = await paint();
  const [question] = await desk.open(1);
  expect(question?.definitionHash).not.toBe(asked?.definitionHash);
  await desk.manager.inbox.answer(question?.id ?? "", { verdict: "deny" });
  await desk.reported(edited);
  const denied = await other.spawn({ prompt: "job", subagent_type: "painter" });
  expect(await openOf(other, 1)).toMatchObject([{ agentId: denied.id }]);
});
