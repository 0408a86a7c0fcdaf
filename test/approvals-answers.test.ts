import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createManager, createRehearsal, parseScenario } from "../src/index.ts";
import type { Answer } from "../src/inbox/request.ts";
import { trustFolder } from "../src/settings/trust.ts";
import { bash, openOf, report, script, setDesk, worker, type Desk } from "./support/answering.ts";
import { temporaryDirectory, writeFiles } from "./support/stage.ts";
import { until } from "./support/until.ts";

const twice = [bash("touch made"), bash("touch made"), "done"];

/** Answers the one question that is open. */
async function answer(desk: Desk, given: Answer): Promise<string> {
  const [request] = await desk.open(1);
  await desk.manager.inbox.answer(request?.id ?? "", given);
  return request?.agentId ?? "";
}

const allow = (scope: "once" | "agent" | "session"): Answer => ({ verdict: "allow", scope });

test("once allows this call; the same one again is asked again", async () => {
  const desk = setDesk({ job: twice });
  const id = await desk.work("job");
  await answer(desk, allow("once"));
  await answer(desk, allow("once"));
  expect(await desk.reported(id)).toBe("done");
  expect(desk.of("permission-request")).toHaveLength(2);
  expect(desk.has("made")).toBe(true);
});

test("rules that would not allow the very call are refused, and the question stays open", async () => {
  const desk = setDesk({ job: [bash("touch made"), "done"] });
  const id = await desk.work("job");
  const idle: Answer = { verdict: "allow", scope: "session", rules: ["Bash(npm test *)"] };
  await expect(answer(desk, idle)).rejects.toThrow(/would not allow this call/);
  await answer(desk, { verdict: "allow", scope: "session", rules: ["Bash(touch *)"] });
  expect(await desk.reported(id)).toBe("done");
});

test("for an agent: its second call runs unasked, a sibling of its type and its own child are asked", async () => {
  const desk = setDesk(
    {
      lead: [
        bash("touch made"),
        { call: "Agent", input: { description: "d", prompt: "child", subagent_type: "worker" } },
        bash("touch made"),
        "done",
      ],
      child: [bash("touch made"), "done"],
      sibling: [bash("touch made"), "done"],
    },
    {
      agents: { worker, lead: { ...worker, tools: ["Bash", "Agent"] } },
      limits: { maxSpawnDepth: 2 },
    },
  );
  const lead = await desk.work("lead", { subagent_type: "lead" });
  await answer(desk, allow("agent"));
  const child = await answer(desk, allow("once"));
  expect(child).not.toBe(lead);
  expect(await desk.reported(lead)).toBe("done");
  const sibling = await desk.work("sibling", { subagent_type: "lead" });
  expect(await answer(desk, { verdict: "deny" })).toBe(sibling);
  await desk.reported(sibling);
  expect(desk.of("permission-request").map(({ agentId }) => agentId)).toEqual([
    lead,
    child,
    sibling,
  ]);
});

test("what a standing agent was granted holds for its next task, and no longer than itself", async () => {
  const { manager } = setDesk({ make: [bash("touch made"), "done", bash("touch made"), "again"] });
  const clerk = await manager.spawn({ subagent_type: "worker" });
  const first = manager.process(clerk.id, "make it");
  const [request] = await openOf(manager, 1);
  await manager.inbox.answer(request?.id ?? "", allow("agent"));
  expect(await first).toMatchObject({ state: "completed", content: "done" });
  expect(await manager.process(clerk.id, "make it")).toMatchObject({ content: "again" });
  await manager.stop(clerk.id);
  const other = await manager.spawn({ subagent_type: "worker", prompt: "make it" });
  expect(await openOf(manager, 1)).toMatchObject([{ agentId: other.id }]);
});

test("calls of one turn are asked together, and each gets its own answer", async () => {
  const child = { description: "d", subagent_type: "worker" };
  const desk = setDesk(
    {
      lead: [
        ["one", "two"].map((prompt) => ({ call: "Agent", input: { ...child, prompt } })),
        "done",
      ],
      one: ["1"],
      two: ["2"],
    },
    { settings: { permissions: { ask: ["Agent(worker)"] } } },
  );
  const main = await desk.manager.main({ prompt: "lead" });
  const open = await desk.open(2);
  expect(open.map(({ input }) => input["prompt"])).toEqual(["one", "two"]);
  // Between them the agent waits once.
  expect(desk.of("agent-wait")).toHaveLength(1);
  await desk.manager.inbox.answer(open[1]?.id ?? "", allow("once"));
  await desk.manager.inbox.answer(open[0]?.id ?? "", { verdict: "deny" });
  expect(await desk.reported(main.id)).toBe("done");
  expect(desk.of("agent-start").map(({ agent }) => agent.prompt)).toEqual(["lead", "two"]);
});

test("what a child was granted is not its parent's", async () => {
  const desk = setDesk({
    lead: [
      { call: "Agent", input: { description: "d", prompt: "child", subagent_type: "worker" } },
      bash("touch made"),
      "done",
    ],
    child: [bash("touch made"), "done"],
  });
  const main = await desk.manager.main({ prompt: "lead" });
  const child = await answer(desk, allow("agent"));
  expect(child).not.toBe(main.id);
  expect(await answer(desk, allow("once"))).toBe(main.id);
  expect(await desk.reported(main.id)).toBe("done");
});

test("for the session: siblings run unasked and open questions that it covers are settled at once", async () => {
  const desk = setDesk({ first: twice, second: twice, other: [bash("touch else"), "done"] });
  const [first, second] = [await desk.work("first"), await desk.work("second")];
  const other = await desk.work("other");
  const open = await desk.open(3);
  const own = open.find(({ agentId }) => agentId === first)?.id ?? "";
  const settled = await desk.manager.inbox.answer(own, allow("session"));
  expect(settled.map(({ agentId }) => agentId)).toEqual([first, second]);
  expect([await desk.reported(first), await desk.reported(second)]).toEqual(["done", "done"]);
  expect(await answer(desk, { verdict: "deny" })).toBe(other);
  await desk.reported(other);
  const later = await desk.work("first");
  expect(await desk.reported(later)).toBe("done");
  expect(desk.of("permission-request")).toHaveLength(3);
});

test("a grant settles no question that an ask rule still wants asked", async () => {
  const desk = setDesk(
    { first: [bash("touch made"), "done"], second: [bash("touch made && rm made"), "done"] },
    { settings: { permissions: { ask: ["Bash(rm *)"] } } },
  );
  const [first, second] = [await desk.work("first"), await desk.work("second")];
  const open = await desk.open(2);
  const own = open.find(({ agentId }) => agentId === first)?.id ?? "";
  const rules = ["Bash(touch made)", "Bash(rm made)"];
  await desk.manager.inbox.answer(own, { verdict: "allow", scope: "session", rules });
  expect(await desk.reported(first)).toBe("done");
  expect(await answer(desk, { verdict: "deny" })).toBe(second);
});

test("a host that gives an agent its own allowedTools keeps session grants from it", async () => {
  const desk = setDesk({
    first: [bash("touch made"), "done"],
    second: [bash("touch made"), "done"],
  });
  const first = await desk.work("first");
  await answer(desk, allow("session"));
  await desk.reported(first);
  const second = await desk.work("second", { allowedTools: ["Bash(make *)"] });
  expect(await answer(desk, { verdict: "deny" })).toBe(second);
});

test("always: the rule is in .claude/settings.local.json of a trusted folder, and a new manager does not ask", async () => {
  const replies = { job: [bash("touch made"), "done"] };
  const desk = setDesk(replies);
  const { cwd, configDir } = desk;
  await trustFolder(cwd, configDir);
  const id = await desk.work("job");
  await answer(desk, { verdict: "allow", scope: "always" });
  expect(await desk.reported(id)).toBe("done");
  const file = join(cwd, ".claude", "settings.local.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    permissions: { allow: ["Bash(touch made)"] },
  });
  const model = createRehearsal(parseScenario(script(replies), "s.yaml"));
  await using other = createManager({ model, cwd, configDir, agents: { worker } });
  const again = await other.spawn({ prompt: "job", subagent_type: "worker" });
  expect(await other.output(again.id, { block: true })).toMatchObject({
    content: "done",
    metrics: { denials: 0, deniedCalls: [] },
  });
});

test("a denial with a message: the child reads it, and an event says so", async () => {
  const desk = setDesk({ job: [bash("touch made"), report] });
  const id = await desk.work("job");
  await answer(desk, { verdict: "deny", message: "use npm" });
  expect(await desk.reported(id)).toBe("Permission denied: use npm");
  expect(desk.of("permission-deny")).toMatchObject([{ agentId: id, reason: "use npm" }]);
  expect(desk.of("permission-answer")).toMatchObject([{ allowed: false, by: "host" }]);
  const { metrics } = await desk.manager.output(id);
  expect(metrics?.deniedCalls).toEqual([{ tool: "Bash", reason: "use npm", count: 1 }]);
});

describe("a changed input", () => {
  const change = async (input: Record<string, unknown>): Promise<Desk & { said: string }> => {
    const desk = setDesk(
      { job: [bash("touch made"), report] },
      { settings: { permissions: { deny: ["Bash(rm *)"] } } },
    );
    writeFileSync(join(desk.cwd, "kept"), "");
    const id = await desk.work("job");
    await answer(desk, { verdict: "allow", scope: "once", input });
    return { ...desk, said: await desk.reported(id) };
  };

  test("runs instead, and the transcript shows it", async () => {
    const input = { command: "touch other && echo changed" };
    const desk = await change(input);
    expect([desk.has("made"), desk.has("other")]).toEqual([false, true]);
    expect(desk.said).toContain("changed");
    const { projectDir } = desk.manager.transcripts;
    const [row] = desk.manager.list({ all: true });
    const file = join(projectDir, desk.manager.sessionId, "subagents", `agent-${row?.id}.jsonl`);
    // It says so to the model too: its own call has not run.
    const note = `A person changed this call. What ran: ${JSON.stringify(input)}`;
    expect(readFileSync(file, "utf8")).toContain(JSON.stringify(note).slice(1, -2));
    expect(JSON.stringify(desk.requests.at(-1)?.messages)).toContain("A person changed this call");
    expect(desk.audit()).toMatchObject([
      { fact: "asked" },
      { fact: "answered", changedTo: expect.any(String) as string },
    ]);
  });

  test("that fails is reported as what it was", async () => {
    const { said } = await change({ command: "cat missing" });
    expect(said).toMatch(/^A person changed this call\. What ran: .*cat missing[^]*No such file/);
  });

  test("that a rule denies stays denied", async () => {
    const desk = await change({ command: "rm kept" });
    expect(desk.said).toMatch(/^Permission denied: 'Bash\(rm \*\)' denies it/);
    expect(desk.has("kept")).toBe(true);
    expect(desk.of("permission-deny")).toHaveLength(1);
  });

  test("that does not fit the tool runs nothing", async () => {
    const desk = await change({ comand: "touch other" });
    expect(desk.said).toContain("no longer valid for the tool");
    expect([desk.has("made"), desk.has("other")]).toEqual([false, false]);
  });
});

test.each(["session", "always"] as const)(
  "an open call of an agent that takes no session grants is not settled by one: %s",
  async (scope) => {
    const same = [bash("touch made"), report];
    const desk = setDesk({ first: same, second: same, third: same });
    const [first, second] = [
      await desk.work("first"),
      await desk.work("second", { allowedTools: ["Bash(make *)"] }),
    ];
    const open = await desk.open(2);
    const own = open.find(({ agentId }) => agentId === first)?.id ?? "";
    const file = scope === "always" ? ({ file: "user" } as const) : {};
    const settled = await desk.manager.inbox.answer(own, { verdict: "allow", scope, ...file });
    expect(settled.map(({ agentId }) => agentId)).toEqual([first]);
    expect(await desk.open(1)).toMatchObject([{ agentId: second }]);
    await desk.manager.inbox.answer("q", { verdict: "deny", message: "not you" });
    expect(await desk.reported(second)).toBe("Permission denied: not you");
    // Others run unasked.
    await desk.reported(await desk.work("third"));
    expect(desk.of("permission-request")).toHaveLength(2);
  },
);

describe("where by policy only managed rules may allow", () => {
  const managed = (): string => {
    const managedDir = temporaryDirectory();
    const policy = JSON.stringify({ allowManagedPermissionRulesOnly: true });
    writeFiles(managedDir, { "managed-settings.json": policy });
    return managedDir;
  };

  test("an answer is for one call; a longer one is refused and the question stays open", async () => {
    const job = [bash("touch made"), bash("touch made"), report];
    const desk = setDesk({ job }, { managedDir: managed() });
    const id = await desk.work("job");
    await desk.open(1);
    for (const scope of ["agent", "session", "agent-always", "always"] as const)
      await expect(desk.manager.inbox.answer("q", { verdict: "allow", scope })).rejects.toThrow(
        /allowManagedPermissionRulesOnly.*Allow it once/,
      );
    const [first] = await desk.open(1);
    await desk.manager.inbox.answer(first?.id ?? "", { verdict: "allow", scope: "once" });
    await until(() => expect(desk.of("permission-request")).toHaveLength(2));
    const [second] = await desk.open(1);
    await desk.manager.inbox.answer(second?.id ?? "", { verdict: "deny", message: "once" });
    expect(await desk.reported(id)).toBe("Permission denied: once");
  });

  test("nobody is asked ahead for what could not be granted", async () => {
    const agents = { quiet: { ...worker, background: true } };
    const desk = setDesk({ job: [bash("touch made"), report] }, { managedDir: managed(), agents });
    await desk.work("job", { subagent_type: "quiet" });
    expect(await desk.open(1)).toMatchObject([{ tool: "Bash" }]);
  });
});
