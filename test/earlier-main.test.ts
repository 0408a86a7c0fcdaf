import { expect, test } from "vitest";
import { createManager, createRehearsal, parseScenario } from "../src/index.ts";
import { setStage } from "./support/stage.ts";

const delegating = `
turns:
  - agent: main
    turn: 1
    reply: [{ call: Agent, input: { description: look, prompt: look, subagent_type: Explore } }]
  - { agent: main, turn: 2, reply: "All looked at." }
  - { agent: Explore, reply: seen }
`;

test("the main agent of an earlier process is known as its children are", async () => {
  const { manager, cwd, configDir } = setStage(delegating, { allowedTools: ["Agent"] });
  const { id } = await manager.main({ prompt: "go" });
  const output = await manager.output(id, { block: true });
  const { state } = output;
  const rows = manager.list({ all: true });
  const row = manager.get(id);
  await manager.close();

  const model = createRehearsal(parseScenario(delegating, "scenario.yaml"));
  await using next = createManager({ model, cwd, configDir, session: manager.sessionId });
  expect(next.list({ all: true })).toEqual(rows);
  expect(next.list()).toEqual([]);
  expect(next.get(id)).toEqual(row);
  expect(await next.output(id)).toEqual(output);
  expect(next.totals(id)).toMatchObject({ agents: 2 });
  expect(await next.stop(id)).toMatchObject({ id, state, died: { agents: [] } });
  await expect(next.send(id, "more")).rejects.toMatchObject({ code: "agent_ended" });
  await next.remove(id);
  expect(next.get(id)).toBeUndefined();
  expect(next.list({ all: true })).toMatchObject([{ type: "Explore" }]);
});
