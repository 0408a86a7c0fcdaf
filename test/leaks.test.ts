import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { guardName } from "../src/processes/guard.ts";
import { owner } from "../src/processes/owner.ts";
import { ProcessTree } from "../src/processes/process-tree.ts";
import { watchForLeaks } from "./support/leaks.ts";
import { sleepers } from "./support/sleepers.ts";
import { setStage, temporaryDirectory } from "./support/stage.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";
import { bin } from "./support/bin.ts";

const bash = (command: string): object => ({ call: "Bash", input: { command } });
const scenario = (...turns: object[]): string =>
  JSON.stringify({ turns: turns.map((turn, index) => ({ turn: index + 1, ...turn })) });
const hold = { reply: [bash("sleep 300")] };

test("after a stop nothing is left of what an agent started", async () => {
  const brood = sleepers();
  const { manager } = setStage(scenario({ reply: [bash(brood.script)] }, hold), {
    allowedTools: ["Bash"],
  });
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash" });
  await brood.until(brood.count);
  const row = await manager.stop(agent.id);
  expect(row).toMatchObject({ state: "stopped", died: { agents: [agent.id] } });
  expect(row.died.processes).toBeGreaterThanOrEqual(brood.count);
  expect(brood.alive()).toBe(0);
});

test("after a kill nothing is left of what an agent started", async () => {
  const brood = sleepers();
  const { manager } = setStage(scenario({ reply: [bash(brood.script)] }, hold), {
    allowedTools: ["Bash"],
  });
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash" });
  await brood.until(brood.count);
  const row = await manager.kill(agent.id);
  expect(row).toMatchObject({ state: "stopped", died: { agents: [agent.id] } });
  expect(row.died.processes).toBeGreaterThanOrEqual(brood.count);
  expect(brood.alive()).toBe(0);
});

test("after a failure of the model nothing is left of what an agent started", async () => {
  const brood = sleepers();
  const { manager, cwd } = setStage(
    scenario(
      { reply: [bash(`${brood.script}; until [ -f go ]; do sleep 0.02; done`)] },
      { reply: "never", fault: { kind: "overload", times: 99 } },
    ),
    { allowedTools: ["Bash"], limits: { retry: { attempts: 1 } } },
  );
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash" });
  await brood.until(brood.count);
  writeFileSync(join(cwd, "go"), "");
  expect(await manager.output(agent.id, { block: true })).toMatchObject({
    state: "failed",
    error: { code: "model_error" },
  });
  expect(brood.alive()).toBe(0);
});

test("after a timeout nothing is left of what an agent started", async () => {
  const brood = sleepers();
  const clock = new TestClock();
  const { manager } = setStage(scenario({ reply: [bash(brood.script)] }, hold), {
    allowedTools: ["Bash"],
    clock,
  });
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash", timeout: 6000 });
  await brood.until(brood.count);
  clock.advance(6000);
  expect(await manager.output(agent.id, { block: true })).toMatchObject({
    state: "failed",
    error: { code: "timeout" },
  });
  expect(brood.alive()).toBe(0);
});

test("after a crash nothing is left of what agents started", async () => {
  const brood = sleepers();
  const root = temporaryDirectory();
  mkdirSync(join(root, "work"));
  writeFileSync(
    join(root, "work", "s.yaml"),
    scenario({ reply: [bash(brood.script)] }, { reply: [bash("sleep 300")] }),
  );
  const run = ["run", "-p", "--allowedTools", "Bash", "--rehearse", "s.yaml", "x"];
  const child = spawn(process.execPath, [bin, ...run], {
    cwd: join(root, "work"),
    env: { ...process.env, CLAUDE_CONFIG_DIR: join(root, "config") },
    stdio: "ignore",
  });
  await brood.until(brood.count);
  child.kill("SIGKILL");
  await once(child, "exit");
  await brood.until(0);
});

test("an agent that is stopped takes nothing from another of its session", async () => {
  const [mine, others] = [sleepers(), sleepers()];
  const turns = [
    { task: "mine", turn: 1, reply: [bash(mine.script)] },
    { task: "other", turn: 1, reply: [bash(others.script)] },
    { turn: 2, ...hold, repeat: true },
  ];
  const { manager } = setStage(JSON.stringify({ turns }), { allowedTools: ["Bash"] });
  const [first, second] = await Promise.all(
    ["mine", "other"].map((prompt) => manager.spawn({ prompt, subagent_type: "Bash" })),
  );
  await Promise.all([mine.until(mine.count), others.until(others.count)]);
  await manager.stop(first?.id ?? "");
  expect([mine.alive(), others.alive()]).toEqual([0, others.count]);
  await manager.close();
  expect(others.alive()).toBe(0);
  expect(manager.get(second?.id ?? "")).toMatchObject({ state: "stopped" });
});

test("the check that every staged test ends with names what is left", async () => {
  const root = temporaryDirectory();
  const expectNoLeaks = watchForLeaks({ exceptConnections: false });
  const expectNoneNow = watchForLeaks({ exceptConnections: false, settleMs: 0 });
  await expectNoLeaks();
  const server = createServer().listen(join(root, "socket"));
  await once(server, "listening");
  const child = spawn("sleep", ["300"], { stdio: "ignore" });
  const tree = new ProcessTree("test-left");
  const daemon = tree.start("bash", ["-c", "(setsid sleep 300 >&- 2>&- &)"], { cwd: "/", env: {} });
  await once(daemon, "close");
  const guard = spawn("bash", ["-c", "read", guardName, owner], { argv0: guardName });
  const timer = setTimeout(() => undefined, 1e6);
  const left = join(tmpdir(), "retinue-left");
  writeFileSync(left, "");
  const file = openSync(left, "r");
  const listener = (): void => undefined;
  process.on("SIGUSR2", listener);
  const error = await expectNoneNow().catch((error: unknown) => String(error));
  for (const name of [
    `processes: ${child.pid} sleep 300`,
    `processes: ${guardName}`,
    "sockets: socket:",
    `files: ${left}`,
    "resources: PipeWrap",
    "resources: Timeout",
    "listeners: SIGUSR2 listener",
    "temporary files: retinue-left",
  ])
    expect(error).toContain(name);
  expect(error).toMatch(new RegExp(String.raw`processes: (?!${child.pid}\b)\d+ .*sleep 300`));
  process.off("SIGUSR2", listener);
  closeSync(file);
  rmSync(left);
  clearTimeout(timer);
  child.kill();
  guard.kill();
  server.close();
  await Promise.all([once(child, "exit"), once(guard, "exit"), once(server, "close")]);
  expect(await tree.killAll()).toBe(1);
  await expectNoLeaks();
});
