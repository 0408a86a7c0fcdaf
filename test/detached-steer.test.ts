import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { office } from "./support/office.ts";
import { until } from "./support/until.ts";

const untilGo = 'command: "echo $$ > shell; until [ -e go ]; do sleep 0.05; done"';
const listens = `
turns:
  - turn: 1
    reply: [{ call: Bash, input: { ${untilGo} } }]
  - last: /Leave the API alone/
    reply: I leave it alone.
  - reply: I heard nothing.
`;

test("a message from another terminal is read before the next turn, and its receipt means that it is on disk", async () => {
  const { detach, json, go, retinue } = office(listens);
  const run = await detach("--name", "fixer", "--allowedTools", "Bash");
  const receipt = await json<{ messageId: string; agentId: string }>(
    "send",
    "--json",
    "fixer",
    "Leave",
    "the API alone",
  );
  expect(receipt).toMatchObject({ agentId: run.id });
  expect(receipt.messageId).not.toBe("");
  go();
  expect((await retinue("wait", "fixer")).code).toBe(0);
  expect((await retinue("output", "fixer")).stdout).toBe("I leave it alone.\n");
  expect(readFileSync(run.transcript, "utf8")).toContain(receipt.messageId);
});

test("kill and stop say what died with the agent", async () => {
  const { detach, json, cwd } = office(listens);
  for (const args of [["kill"], ["stop", "-t", "1"]]) {
    rmSync(join(cwd, "shell"), { force: true });
    const run = await detach("--allowedTools", "Bash");
    await until(() => expect(existsSync(join(cwd, "shell"))).toBe(true));
    const [ended] = await json<{ died: { agents: string[]; processes: number } }[]>(
      ...args,
      "--json",
      run.id,
    );
    expect(ended).toMatchObject({ id: run.id, state: "stopped", died: { agents: [run.id] } });
    expect(ended?.died.processes).toBeGreaterThan(0);
  }
});

test("a child that is moved to the background from another terminal no longer keeps its parent", async () => {
  const { detach, json, go, retinue, cwd } = office(`
turns:
  - agent: main
    turn: 1
    reply: [{ call: Agent, input: { description: long work, prompt: p, subagent_type: general-purpose } }]
  - agent: general-purpose
    turn: 1
    reply: [{ call: Bash, input: { ${untilGo} } }]
  - agent: general-purpose
    turn: 2
    reply: the child is done
  - agent: main
    turn: 2
    reply: [{ call: Bash, input: { command: touch moved } }]
  - agent: main
    repeat: true
    reply: all done
`);
  const run = await detach("--allowedTools", "Bash,Edit");
  await until(() => expect(existsSync(join(cwd, "shell"))).toBe(true));
  const [child] = await json<{ id: string }[]>("ps", "--json", "--filter", `parent=${run.id}`);
  expect(existsSync(join(cwd, "moved"))).toBe(false);
  expect(await json("background", "--json", child?.id ?? "")).toMatchObject({ id: child?.id });
  await until(() => expect(existsSync(join(cwd, "moved"))).toBe(true));
  go();
  expect((await retinue("wait", run.id, child?.id ?? "")).code).toBe(0);
  expect((await retinue("output", child?.id ?? "")).stdout).toBe("the child is done\n");
});
