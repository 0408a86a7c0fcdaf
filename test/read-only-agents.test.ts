import { expect, onTestFinished, test, vi } from "vitest";
import { bash, report, setDesk, worker } from "./support/answering.ts";

const tries = [bash("ls"), bash("touch made"), report];

test.each(["Explore", "Plan"])(
  "%s changes nothing though the session skips all permissions",
  async (subagent_type) => {
    vi.stubEnv("IS_SANDBOX", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const desk = setDesk({ job: tries }, { permissionMode: "bypassPermissions" });
    const id = await desk.work("job", { subagent_type });
    expect(await desk.reported(id)).toContain("confines Bash to commands that only look");
    expect(desk.has("made")).toBe(false);
    expect(desk.of("permission-deny")).toMatchObject([
      { call: { input: { command: "touch made" } } },
    ]);
    const [start] = desk.of("agent-start");
    for (const tool of ["Edit", "Write", "NotebookEdit"])
      expect(start?.agent.tools).not.toContain(tool);
  },
);

test("Verification runs what the host's rules name, and asks about the rest", async () => {
  const desk = setDesk(
    { job: [bash("touch checked"), bash("touch made"), report] },
    { allowedTools: ["Bash(touch checked)"], permissionMode: "acceptEdits" },
  );
  const id = await desk.work("job", { subagent_type: "Verification" });
  // Beside it stands what an agent in the background asks for at its start.
  const request = (await desk.open(2)).find(({ tool }) => tool === "Bash");
  expect(request).toMatchObject({ input: { command: "touch made" } });
  expect([desk.has("checked"), desk.has("made")]).toEqual([true, false]);
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "deny" });
  await desk.reported(id);
  expect(desk.has("made")).toBe(false);
});

test("what an agent of any author with readOnly starts is read-only too, also after it was resumed", async () => {
  const agents = {
    worker,
    lead: { description: "Leads", prompt: "You lead.", tools: ["Agent"], readOnly: true },
  };
  const child = { description: "d", prompt: "child", subagent_type: "worker" };
  const desk = setDesk(
    {
      lead: [{ call: "Agent", input: child }, report],
      child: [
        bash("touch made"),
        { call: "Write", input: { file_path: "made", content: "" } },
        "first",
        bash("touch made"),
        "second",
      ],
    },
    { agents, permissionMode: "acceptEdits", limits: { maxSpawnDepth: 2 } },
  );
  const lead = await desk.work("lead", { subagent_type: "lead" });
  await desk.reported(lead);
  expect(desk.of("permission-deny").map(({ call }) => call.name)).toEqual(["Bash", "Write"]);
  const worked = desk.manager.list({ all: true }).find(({ type }) => type === "worker");
  await desk.manager.resume(worked?.id ?? "", { prompt: "again" });
  await desk.reported(worked?.id ?? "");
  expect(desk.of("permission-deny")).toHaveLength(3);
  expect(desk.has("made")).toBe(false);
});
