import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { office } from "./support/office.ts";
import { until } from "./support/until.ts";

const family = `
turns:
  - agent: main
    turn: 1
    reply: [{ call: Agent, input: { description: look, prompt: p, subagent_type: Explore } }]
  - agent: main
    turn: 2
    reply: [{ call: Bash, input: { command: "touch looked; until [ -e go ]; do sleep 0.05; done" } }]
  - { agent: main, reply: all done }
  - { agent: Explore, turn: 1, reply: seen }
  - { agent: Explore, turn: 2, reply: seen again }
`;

test("a child that has ended while its parent works is known to every command", async () => {
  const { detach, json, go, retinue, cwd } = office(family);
  const run = await detach("--allowedTools", "Bash,Agent");
  await until(() => expect(existsSync(join(cwd, "looked"))).toBe(true));
  const listed = await json<{ id: string }[]>("ps", "-a", "--json", "--filter", `parent=${run.id}`);
  expect(listed).toMatchObject([{ state: "completed" }]);
  const [child = { id: "" }] = listed;

  expect((await retinue("output", child.id)).stdout).toBe("seen\n");
  expect((await retinue("wait", child.id)).code).toBe(0);
  expect((await retinue("stop", child.id)).stdout).toContain("it had already ended");
  for (const args of [
    ["send", child.id, "more"],
    ["attach", child.id],
    ["background", child.id],
  ]) {
    const { code, stderr } = await retinue(...args);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`retinue resume ${child.id}`) as string,
    });
  }
  const resumed = await retinue("resume", child.id, "-d", "--json", "look", "again");
  expect(resumed.code).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ id: child.id, sessionId: run.sessionId });
  expect((await retinue("wait", child.id)).code).toBe(0);
  expect((await retinue("output", child.id)).stdout).toBe("seen again\n");
  go();
  expect((await retinue("wait", run.id)).code).toBe(0);
});
