import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createManager, createRehearsal, parseScenario, type Manager } from "../src/index.ts";
import { temporaryDirectory } from "./support/stage.ts";

const worker = { description: "works", prompt: "You work.", tools: ["Bash"] };
const scenario = `
turns:
  - { agent: worker, turn: 1, reply: "ready" }
  - { agent: worker, turn: 2, reply: [{ call: Bash, input: { command: "pwd > place" } }] }
  - { agent: worker, turn: 3, reply: "written" }
`;

function open(root: string, cwd: string, session?: string): Manager {
  return createManager({
    model: createRehearsal(parseScenario(scenario, "scenario.yaml")),
    cwd: join(root, cwd),
    configDir: join(root, "config"),
    transcriptDir: join(root, "transcripts"),
    agents: { worker },
    allowedTools: ["Bash"],
    ...(session === undefined ? {} : { session }),
  });
}

async function workedIn(root: string, cwd: string): Promise<{ session: string; agent: string }> {
  await using manager = open(root, cwd);
  const { agentId } = await manager.run({ prompt: "begin", subagent_type: "worker" });
  return { session: manager.sessionId, agent: agentId };
}

test("a resumed agent works where it worked, also in a session that was opened above", async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "project", "part"), { recursive: true });
  const { session, agent } = await workedIn(root, "project/part");
  await using manager = open(root, "project", session);
  await manager.resume(agent, { prompt: "go on" });
  const { state } = await manager.output(agent, { block: true });
  expect(state).toBe("completed");
  expect(manager.get(agent)?.cwd).toBe(join(root, "project", "part"));
  expect(existsSync(join(root, "project", "part", "place"))).toBe(true);
});

test("an agent is not resumed in a session that may not work where it worked", async () => {
  const root = temporaryDirectory();
  for (const name of ["one", "two"]) mkdirSync(join(root, name));
  const { session, agent } = await workedIn(root, "one");
  await using manager = open(root, "two", session);
  const resumed = manager.resume(agent, { prompt: "go on" });
  await expect(resumed).rejects.toThrow(/worked in .*one, which is not a working directory/);
});

test("an agent whose directory is gone is not resumed elsewhere", async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "project", "part"), { recursive: true });
  const { session, agent } = await workedIn(root, "project/part");
  rmSync(join(root, "project", "part"), { recursive: true });
  await using manager = open(root, "project", session);
  const resumed = manager.resume(agent, { prompt: "go on" });
  await expect(resumed).rejects.toMatchObject({ code: "invalid_config" });
});
