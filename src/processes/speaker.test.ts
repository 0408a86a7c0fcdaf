import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { agentsOf } from "./agents-of.ts";
import { ensureGuard } from "./guard.ts";
import { agentsInSession, ProcessTree } from "./process-tree.ts";
import { readProcesses, type Process } from "./process-table.ts";
import { showing, shows, signOf } from "./sign.ts";
import { refusalOf } from "./speaker.ts";
import { until } from "../../test/support/until.ts";

const linux = test.runIf(process.platform === "linux");

linux("a process that shows the sign for its words may speak, and for no other words", async () => {
  const { pid } = process;
  const sign = signOf("challenge", "words");
  expect(await refusalOf({ pid, sign })).toMatchObject({ pid, agents: [] });
  await showing(sign, async () => {
    expect(await refusalOf({ pid, sign })).toBeNull();
    const other = signOf("challenge", "other words");
    expect(await refusalOf({ pid, sign: other })).toMatchObject({
      reason: `process ${pid} has not confirmed it`,
    });
  });
  expect(await refusalOf({ pid, sign })).toMatchObject({ pid });
});

linux("nobody shows a sign under the process id of another", async () => {
  const other = spawn("sleep", ["100"]);
  onTestFinished(() => void other.kill("SIGKILL"));
  const pid = other.pid ?? 0;
  const sign = signOf("challenge", "words");
  expect(() => writeFileSync(`/proc/${pid}/comm`, sign)).toThrow();
  await showing(sign, async () => {
    expect(await refusalOf({ pid, sign })).toMatchObject({
      reason: `process ${pid} has not confirmed it`,
    });
  });
});

linux(
  "a process that lost its marks and its parent is known by the session that it stays in",
  async () => {
    const agent = "a0000000000000001";
    const tree = new ProcessTree(agent);
    onTestFinished(async () => void (await tree.killAll()));
    const script = "exec 64<&- 65<&-; (env -i sleep 100 >/dev/null 2>&1 & echo $!)";
    const child = tree.start("bash", ["-c", script], { cwd: "/", env: process.env });
    const pid = Number(await text(child.stdout));
    const table = await orphaned(child, pid);
    const found = table.find((one) => one.pid === pid);
    expect([...agentsOf(table, pid)]).toEqual([]);
    expect(found === undefined ? null : agentsInSession(found, table)).toEqual([agent]);
  },
);

linux(
  "a process whose session an agent of another Retinue may have opened does not speak",
  async () => {
    ensureGuard();
    const sign = signOf("challenge", "words");
    const program = `process.title = ${JSON.stringify(sign)}; setInterval(() => {}, 1000)`;
    const script = '("$0" -e "$1" >/dev/null 2>&1 & echo $!)';
    const leader = spawn("bash", ["-c", script, process.execPath, program], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const pid = Number(await text(leader.stdout));
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    await until(() => shows(pid, sign));
    expect(await refusalOf({ pid, sign })).toEqual({
      pid,
      agents: [],
      reason: `the process that opened session ${leader.pid ?? 0} has ended and cannot be checked`,
    });
  },
);

/** The processes, once the parent of one is gone. */
function orphaned(child: { exitCode: number | null }, pid: number): Promise<Process[]> {
  return until(async () => {
    const table = await readProcesses();
    const parent = table.find((one) => one.pid === pid)?.parent;
    expect(child.exitCode).not.toBeNull();
    expect(table.some((one) => one.pid === parent && one.agents.length > 0)).toBe(false);
    return table;
  });
}
