import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandShop, exit, readAll, transcriptsIn } from "./support/command-shop.ts";
import { until } from "./support/until.ts";

test("logs -f follows a running agent to its end; ps shows it; Ctrl+C stops it and its processes", async () => {
  const { run, start, config } = commandShop(
    "turns: [{ reply: [{ text: Going to sleep. }, { call: Bash, input: { command: sleep 300 } }] }]",
  );
  const running = start(["run", "--allowedTools", "Bash", "--rehearse", "s.yaml", "x"]);
  const stderr = readAll(running.stderr);
  let rows: { id: string; state: string }[] = [];
  while (
    rows.length === 0 ||
    !transcriptsIn(config).some((file) => readFileSync(file, "utf8").includes("retinue-step"))
  ) {
    rows = JSON.parse((await run(["ps", "--json"])).stdout) as typeof rows;
  }
  expect(rows).toMatchObject([{ state: "running" }]);
  const follower = start(["logs", "-f", rows[0]?.id ?? ""]);
  const followed = readAll(follower.stdout);
  running.kill("SIGINT");
  expect(await exit(running)).toBe(130);
  expect(await stderr).toContain("interrupted by SIGINT");
  expect(await exit(follower)).toBe(0);
  expect(await followed).toMatch(/Going to sleep\.[\s\S]*Interrupted/);
  const after = JSON.parse((await run(["ps", "-a", "--json"])).stdout) as { state: string }[];
  expect(after).toMatchObject([{ state: "stopped" }]);
});

test("a second Ctrl+C ends the run at once, and still leaves no process behind", async () => {
  const { start, cwd } = commandShop(
    "turns: [{ reply: [{ call: Bash, input: { command: \"trap '' TERM; setsid sleep 300 & echo $RETINUE_AGENT > id; while :; do sleep 1; done\" } }] }]",
  );
  const running = start(["run", "--allowedTools", "Bash", "--rehearse", "s.yaml", "x"]);
  const read = (): string => readFileSync(join(cwd, "id"), "utf8");
  await until(() => expect(read()).toMatch(/\n$/));
  const id = read().trim();
  running.kill("SIGINT");
  let said = "";
  for await (const chunk of running.stderr ?? []) {
    said += String(chunk);
    if (said.includes("once more")) break;
  }
  running.kill("SIGTERM");
  // 130 when the first stop was quicker than the second signal.
  expect([130, 143]).toContain(await exit(running));
  await until(() => markedProcesses(id).length === 0);
});

test("an agent whose process was killed is shown as interrupted, and what it said is still there", async () => {
  const { run, start } = commandShop(
    "turns: [{ reply: [{ text: Half way. }, { call: Bash, input: { command: sleep 300 & echo started; wait } }] }]",
  );
  const running = start(["run", "--allowedTools", "Bash", "--rehearse", "s.yaml", "x"]);
  let id = "";
  while (id === "" || (await run(["output", id])).stdout !== "Half way.\n") {
    id = (await run(["ps", "-q"])).stdout.trim();
  }
  running.kill("SIGKILL");
  await exit(running);
  expect((await run(["ps", "-q"])).stdout).toBe("");
  expect(JSON.parse((await run(["ps", "-a", "--json"])).stdout)).toMatchObject([
    { state: "interrupted" },
  ]);
  expect(await run(["output", id])).toMatchObject({
    stdout: "Half way.\n",
    stderr: expect.stringContaining("interrupted") as string,
  });
  killMarked(id);
});

const endings: [string, string[], (child: ChildProcess) => void, number][] = [
  ["the terminal is closed", [], (child) => void child.kill("SIGHUP"), 129],
  ["it is asked to stop", [], (child) => void child.kill("SIGTERM"), 143],
  [
    "the reader of its output goes away",
    ["--output-format", "stream-json"],
    (child) => void child.stdout?.destroy(),
    141,
  ],
  ["the reader of its messages goes away", [], (child) => void child.stderr?.destroy(), 141],
];

test.each(endings)(
  "when %s in mid-run, the agents and their processes end first",
  async (_name, options, end, code) => {
    const { run, start, cwd } = commandShop(`
turns:
  - turn: 1
    reply: [{ call: Bash, input: { command: "echo $RETINUE_AGENT > id; setsid sleep 300 >/dev/null 2>&1 & until [ -f go ]; do sleep 0.02; done" } }]
  - turn: 2
    reply: [{ text: Still here. }, { call: Bash, input: { command: sleep 300 } }]
`);
    const child = start(["run", ...options, "--allowedTools", "Bash", "--rehearse", "s.yaml", "x"]);
    child.stdout?.resume();
    child.stderr?.resume();
    await until(() => expect(readFileSync(join(cwd, "id"), "utf8")).toMatch(/^a\w+\n/));
    const id = readFileSync(join(cwd, "id"), "utf8").trim();
    end(child);
    writeFileSync(join(cwd, "go"), "");
    expect(await exit(child)).toBe(code);
    expect(markedProcesses(id)).toEqual([]);
    expect(JSON.parse((await run(["ps", "-a", "--json"])).stdout)).toMatchObject([
      { state: "stopped" },
    ]);
  },
);

test("a reader that goes away is no error", async () => {
  const { start } = commandShop();
  const child = start(["run", "-p", "--rehearse", "s.yaml", "x"]);
  child.stdout?.destroy();
  expect(await exit(child)).toBe(0);
});

/** Ends what a killed run left behind. */
function killMarked(agentId: string): void {
  for (const pid of markedProcesses(agentId)) process.kill(pid, "SIGKILL");
}

function markedProcesses(agentId: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const environment = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/environ`, "utf8") : "";
      return environment.includes(agentId) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
