import { expect, test, vi, onTestFinished } from "vitest";
import { bash, report, setDesk, worker } from "./support/answering.ts";
import { until } from "./support/until.ts";

const job = [bash("touch made"), report];
const delegate = (input: object): object => ({
  call: "Agent",
  input: { description: "d", prompt: "child", ...input },
});

test("a rule that asks does so in the mode bypassPermissions too", async () => {
  vi.stubEnv("IS_SANDBOX", "1");
  onTestFinished(() => void vi.unstubAllEnvs());
  const desk = setDesk(
    { job: [bash("touch made"), bash("rm made"), "done"] },
    {
      permissionMode: "bypassPermissions",
      settings: { permissions: { ask: ["Bash(rm *)"] } },
    },
  );
  const id = await desk.work("job");
  const [request] = await desk.open(1);
  expect(request).toMatchObject({
    input: { command: "rm made" },
    reason: expect.stringContaining("'Bash(rm *)' wants it to be asked") as string,
    suggestions: [],
  });
  expect(desk.has("made")).toBe(true);
  const answer = { verdict: "allow", scope: "agent" } as const;
  await expect(desk.manager.inbox.answer(request?.id ?? "", answer)).rejects.toThrow(/once/);
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once" });
  await desk.reported(id);
  expect(desk.has("made")).toBe(false);
});

test("in the mode dontAsk nobody is asked, though somebody is there", async () => {
  const desk = setDesk({ job }, { permissionMode: "dontAsk" });
  const said = await desk.reported(await desk.work("job"));
  expect(said).toContain("In the mode dontAsk nobody is asked");
  expect(said).toContain("--allowedTools 'Bash(touch made)'");
  expect(desk.audit()).toEqual([]);
});

test("who only plans may look, is denied edits unasked, and asks before any other command", async () => {
  const desk = setDesk(
    {
      job: [
        bash("ls"),
        { call: "Write", input: { file_path: "made", content: "" } },
        bash("touch made"),
        report,
      ],
    },
    { permissionMode: "plan", allowedTools: ["Bash", "Edit"] },
  );
  const id = await desk.work("job");
  const [request] = await desk.open(1);
  expect(request).toMatchObject({
    tool: "Bash",
    input: { command: "touch made" },
    reason: "'touch made' may change something, and this agent only plans.",
    suggestions: [],
  });
  expect(desk.of("permission-deny")).toMatchObject([
    { call: { name: "Write" }, reason: expect.stringContaining("only plans") as string },
  ]);
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "deny" });
  await desk.reported(id);
  expect(desk.has("made")).toBe(false);
});

test("the mode bubble asks from the background also where the setting denies that", async () => {
  const settings = { background: { prompts: "deny" as const } };
  const quiet = { ...worker, background: true };
  const agents = { quiet, loud: { ...quiet, permissionMode: "bubble" } };
  const desk = setDesk({ job }, { settings, agents });
  const silent = await desk.work("job", { subagent_type: "quiet" });
  expect(await desk.reported(silent)).toContain("Nobody can be asked");
  const loud = await desk.work("job", { subagent_type: "loud" });
  const [request] = await desk.open(1);
  expect(request).toMatchObject({ agentId: loud, tool: "Bash" });
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once" });
  await desk.reported(loud);
  expect(desk.has("made")).toBe(true);
});

test("a model that asks for a wider mode for its child is refused with the remedy", async () => {
  const desk = setDesk(
    {
      lead: [
        delegate({ mode: "default", subagent_type: "worker" }),
        delegate({ mode: "bypassPermissions", subagent_type: "worker" }),
        "done",
      ],
    },
    { permissionMode: "plan" },
  );
  const main = await desk.manager.main({ prompt: "lead" });
  await desk.reported(main.id);
  const [wider, unknown] = desk.of("tool-call-end").map(({ result }) => JSON.stringify(result));
  expect(wider).toContain("allows more than 'plan'");
  expect(wider).toContain("Leave 'mode' out");
  expect(unknown).toContain("Invalid input for Agent: mode");
  expect(desk.manager.list({ all: true })).toHaveLength(1);
});

test("a model may give its child a narrower mode", async () => {
  const desk = setDesk({
    lead: [delegate({ mode: "dontAsk", subagent_type: "worker" }), report],
    child: [bash("touch made"), report],
  });
  const main = await desk.manager.main({ prompt: "lead" });
  expect(await desk.reported(main.id)).toContain("In the mode dontAsk nobody is asked");
});

test("a rule that asks before an agent type is meant however a model writes its name", async () => {
  const desk = setDesk(
    {
      lead: [
        delegate({ subagent_type: "explore" }),
        delegate({}),
        delegate({ subagent_type: "worker" }),
        "done",
      ],
      child: ["looked"],
    },
    { settings: { permissions: { ask: ["Agent(Explore)", "Agent(general-purpose)"] } } },
  );
  const main = await desk.manager.main({ prompt: "lead" });
  for (const type of ["Explore", "general-purpose"]) {
    await until(() =>
      expect(desk.manager.inbox.list()).toMatchObject([
        {
          tool: "Agent",
          agentId: main.id,
          reason: expect.stringContaining(`Agent(${type})`) as string,
        },
      ]),
    );
    const [request] = desk.manager.inbox.list();
    await desk.manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once" });
  }
  expect(await desk.reported(main.id)).toBe("done");
  expect(desk.of("permission-request")).toHaveLength(2);
  expect(desk.manager.list({ all: true }).map(({ type }) => type)).toEqual(
    expect.arrayContaining(["Explore", "general-purpose", "worker"]),
  );
});
