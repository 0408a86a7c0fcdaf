import { describe, expect, test } from "vitest";
import type { InboxRequest } from "../src/inbox/request.ts";
import { bash, report, setDesk, worker, type Desk } from "./support/answering.ts";
import { until } from "./support/until.ts";

const write = { call: "Write", input: { file_path: "written", content: "x" } };
const quiet = { ...worker, tools: ["Read", "Bash", "Write", "Edit"], background: true };
const replies = { job: [bash("touch made"), write, "done"] };

type Options = NonNullable<Parameters<typeof setDesk>[1]>;

async function launch(options: Options = {}): Promise<Desk & { id: string }> {
  const desk = setDesk(replies, { agents: { quiet, worker }, ...options });
  const id = await desk.work("job", { subagent_type: "quiet", description: "paint it" });
  return { ...desk, id };
}

const isLaunch = ({ tool }: InboxRequest): boolean => tool === "Agent";

describe("at the start of an agent in the background", () => {
  test("one request lists what its tools would ask for, and the agent does not wait for it", async () => {
    const desk = await launch();
    const open = await desk.open(2);
    expect(open.find(isLaunch)).toMatchObject({
      kind: "permission",
      agentId: desk.id,
      input: {
        subagent_type: "quiet",
        description: "paint it",
        tools: expect.arrayContaining(["Bash", "Write", "Edit"]) as string[],
      },
      reason: expect.stringContaining("runs in the background") as string,
      suggestions: expect.arrayContaining(["Bash", "Edit"]) as string[],
    });
    expect(open.find(isLaunch)?.suggestions).toHaveLength(2);
    // It is at its first call already.
    expect(open.find((one) => !isLaunch(one))).toMatchObject({ tool: "Bash" });
  });

  test("what is allowed to the agent then runs unasked, and so does what it asks already", async () => {
    const desk = await launch();
    const open = await desk.open(2);
    const about = open.find(isLaunch)?.id ?? "";
    const settled = await desk.manager.inbox.answer(about, { verdict: "allow", scope: "agent" });
    expect(settled.map(({ tool }) => tool)).toEqual(["Agent", "Bash"]);
    expect(await desk.reported(desk.id)).toBe("done");
    expect([desk.has("made"), desk.has("written")]).toEqual([true, true]);
    expect(desk.of("permission-request").map(({ call }) => call.name)).toEqual(["Bash"]);
    // Not for others of its type.
    const other = await desk.work("job", { subagent_type: "quiet" });
    expect((await desk.open(2)).every(({ agentId }) => agentId === other)).toBe(true);
  });

  test.each([{ verdict: "deny" }, { verdict: "allow", scope: "once" }] as const)(
    "$verdict $scope grants nothing: each call is asked as ever",
    async (answer) => {
      const desk = await launch();
      const about = (await desk.open(2)).find(isLaunch)?.id ?? "";
      expect(await desk.manager.inbox.answer(about, answer)).toHaveLength(1);
      const [call] = await desk.open(1);
      await desk.manager.inbox.answer(call?.id ?? "", { verdict: "allow", scope: "once" });
      await until(() => expect(desk.manager.inbox.list()).toMatchObject([{ tool: "Write" }]));
    },
  );

  test("the request is withdrawn when the agent has ended", async () => {
    const desk = await launch();
    for (const tool of ["Bash", "Write"]) {
      const find = (): InboxRequest | undefined =>
        desk.manager.inbox.list().find((one) => one.tool === tool);
      await until(() => expect(find()).toBeDefined());
      await desk.manager.inbox.answer(find()?.id ?? "", { verdict: "allow", scope: "once" });
    }
    expect(await desk.reported(desk.id)).toBe("done");
    expect(desk.manager.inbox.list()).toEqual([]);
    const about = desk.audit().filter(({ tool }) => tool === "Agent");
    expect(about.map(({ fact }) => fact)).toEqual(["asked", "withdrawn"]);
  });

  test("a grant for the session settles it only if nothing is left to ask", async () => {
    const desk = await launch();
    const helper = await desk.work("job", { subagent_type: "worker" });
    const call = (await desk.open(3)).find(({ agentId }) => agentId === helper)?.id ?? "";
    const given = { verdict: "allow", scope: "session" } as const;
    await desk.manager.inbox.answer(call, { ...given, rules: ["Bash"] });
    await until(() =>
      expect(
        desk.manager.inbox
          .list()
          .map(({ tool }) => tool)
          .toSorted(),
      ).toEqual(["Agent", "Write", "Write"]),
    );
    const writing = desk.manager.inbox.list().find(({ tool }) => tool === "Write")?.id ?? "";
    await desk.manager.inbox.answer(writing, { ...given, rules: ["Edit"] });
    expect(desk.manager.inbox.list()).toEqual([]);
    expect(await desk.reported(desk.id)).toBe("done");
  });

  const none: [string, Options][] = [
    ["nobody can answer", { inbox: {} }],
    ["the setting denies its questions", { settings: { background: { prompts: "deny" } } }],
    ["everything is allowed", { allowedTools: ["Bash", "Edit"] }],
    ["it is never asked", { permissionMode: "dontAsk" }],
    ["its parent waits for it", { agents: { quiet: { ...quiet, background: false } } }],
    [
      "every call is to be asked",
      {
        settings: { permissions: { ask: ["Bash", "Edit"] } },
        inbox: { attended: true, timeoutMs: 50 },
      },
    ],
  ];
  test.each(none)("nothing is asked where %s", async (_, options) => {
    const desk = await launch({ inbox: { attended: true, timeoutMs: 50 }, ...options });
    await desk.reported(desk.id);
    expect(desk.audit().filter(({ tool }) => tool === "Agent")).toEqual([]);
  });
});

const lead = [
  { call: "Agent", input: { description: "d", prompt: "job", subagent_type: "quiet" } },
  report,
];

test("a background agent that was denied names what, and its parent reads how to be asked", async () => {
  const job = [bash("touch made"), bash("touch made"), write, "I could not"];
  const desk = setDesk({ lead: [...lead, "read it"], job }, { inbox: {}, agents: { quiet } });
  const main = await desk.manager.main({ prompt: "lead" });
  await desk.reported(main.id);
  const said = desk.of("prompt", main.id).find(({ source }) => source === "notification")?.text;
  expect(said).toContain(
    "I could not\nThe agent was denied:\n- Bash (2 times): 'touch made' needs",
  );
  expect(said).toMatch(/\n- Write: No rule allows/);
  expect(said).toContain("run it again in the foreground, where a person can answer");
  const child = desk.manager.list({ all: true }).find(({ depth }) => depth === 1);
  const { metrics } = await desk.manager.output(child?.id ?? "");
  expect(metrics).toMatchObject({
    denials: 3,
    deniedCalls: [
      { tool: "Bash", count: 2 },
      { tool: "Write", count: 1 },
    ],
  });
});

test("of many denials twenty are named", async () => {
  const calls = Array.from({ length: 25 }, (_, index) => bash(`touch made${index}`));
  const desk = setDesk({ job: [calls, "done"] }, { inbox: {}, agents: { quiet } });
  const id = await desk.work("job", { subagent_type: "quiet" });
  const { metrics } = await desk.manager.output(id, { block: true });
  expect([metrics?.denials, metrics?.deniedCalls.length]).toEqual([25, 20]);
});

test("a child that was denied nothing has no such line, and one in the foreground no such advice", async () => {
  const job = [bash("touch made"), "tried"];
  const agents = { quiet: { ...quiet, background: false } };
  const free = setDesk({ lead, job }, { inbox: {}, agents, allowedTools: ["Bash"] });
  const main = await free.manager.main({ prompt: "lead" });
  expect(await free.reported(main.id)).not.toContain("was denied");
  const bound = setDesk({ lead, job }, { inbox: {}, agents });
  const other = await bound.manager.main({ prompt: "lead" });
  const said = await bound.reported(other.id);
  expect(said).toContain("The agent was denied:\n- Bash: ");
  expect(said).not.toContain("foreground");
});
