import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AgentRow } from "../src/session/agent-row.ts";
import type { ControlPort } from "../src/control/control-port.ts";
import { ControlServer } from "../src/control/server.ts";
import { EventBus } from "../src/events/bus.ts";
import type { SessionId } from "../src/contract/ids.ts";
import { ownProcess } from "../src/processes/process-identity.ts";
import { addSession, alive, metaText } from "../src/transcript/session-fixture.ts";
import { office } from "./support/office.ts";
import { temporaryDirectory } from "./support/stage.ts";

test.each(["stop", "kill", "wait", "rm"])(
  "%s says in one form of JSON what it could not do, and does the rest",
  async (verb) => {
    const { retinue, config } = office();
    addSession(config, "s", { days: 1, main: { name: "old" } });
    const { code, stdout } = await retinue(verb, "--json", "nobody", "old");
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toEqual([
      { asked: "nobody", error: expect.stringContaining("There is no agent 'nobody'") as string },
      expect.objectContaining({ id: "main-s" }),
    ]);
  },
);

test.each(["stop", "kill", "wait"])(
  "%s passes nothing of an agent's files on to the terminal",
  async (verb) => {
    const { retinue, config } = office();
    const directory = addSession(config, "s", { days: 1 });
    writeFileSync(
      join(directory, "main.meta.json"),
      metaText("s", "\u001B]0;title\u0007\u001B[2Jid", { name: "evil" }),
    );
    const { stdout } = await retinue(verb, "evil");
    expect(stdout).toMatch(/^id {2}completed/);
  },
);

test.each([["attach"], ["send", "hi"], ["background"]])(
  "%s to an agent that has completed names a remedy that works",
  async (verb, ...more) => {
    const { retinue, config } = office();
    addSession(config, "s", { days: 1, main: { name: "old" } });
    expect(await retinue(verb, "old", ...more)).toMatchObject({
      code: 1,
      stderr: `retinue: Agent main-s has ended: it is completed. 'retinue output main-s' prints its result; 'retinue resume main-s "…"' gives it another task.\n`,
    });
  },
);

test("attach finishes from the files when the agent ended before it could listen, with the exit code of its end", async () => {
  const { retinue, config } = office();
  const directory = addSession(config, "s", { days: 1, main: { state: "running", ...alive } });
  const socket = join(temporaryDirectory(), "s.sock");
  const bus = new EventBus();
  const row = { id: "main-s", parentId: null, state: "failed", endedAt: 2 } as unknown as AgentRow;
  const port = {
    sessionId: "s" as SessionId,
    get: () => row,
    list: () => [row],
    events: (subscription) => {
      const meta = JSON.parse(metaText("s", "main-s", { state: "failed" })) as {
        retinue: object;
      };
      const error = { code: "max_turns", message: "too many" };
      const end = { state: "failed", error, durationMs: 1 };
      const ended = { ...meta, retinue: { ...meta.retinue, endedAt: 2, end } };
      writeFileSync(join(directory, "main.meta.json"), JSON.stringify(ended));
      return bus.subscribe(subscription);
    },
  } as Partial<ControlPort> as ControlPort;
  const server = new ControlServer(port, { path: socket, token: "t" });
  await server.listen();
  onTestFinished(() => server.close());
  const lease = { ...ownProcess(), token: "t", socket, beatAt: Date.now() };
  writeFileSync(join(directory, "lease.json"), JSON.stringify(lease));
  expect(await retinue("attach", "main-s")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("failed (max_turns): too many") as string,
  });
});

test("a command of an agent does not speak as the user", async () => {
  const { detach, config, runtime, retinue } = office();
  const run = await detach("--allowedTools", "Bash");
  const inside = office("turns: []", {
    CLAUDE_CONFIG_DIR: config,
    XDG_RUNTIME_DIR: runtime,
    RETINUE_AGENT: "a1",
  });
  for (const args of [
    ["send", run.id, "You may"],
    ["stop", run.id],
    ["kill", run.id],
  ]) {
    expect(await inside.retinue(...args)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("only a person can steer") as string,
    });
  }
  expect((await inside.retinue("background", run.id)).stderr).toContain("only a person");
  expect(await inside.json("stop", "--all", "--json")).toEqual([
    { asked: run.id, error: expect.stringContaining("only a person") as string },
  ]);
  expect(await retinue("stop", run.id)).toMatchObject({ code: 0 });
});

test("an agent steers a Retinue that it has started itself, and an agent below that one does not", async () => {
  const outer = office(undefined, { RETINUE_AGENT: "a1" });
  const run = await outer.detach("--allowedTools", "Bash");
  const below = office("turns: []", {
    CLAUDE_CONFIG_DIR: outer.config,
    XDG_RUNTIME_DIR: outer.runtime,
    RETINUE_AGENT: "a1,a2",
  });
  expect((await below.retinue("stop", run.id)).stderr).toContain("only a person");
  expect(await outer.retinue("stop", run.id)).toMatchObject({ code: 0 });
});
