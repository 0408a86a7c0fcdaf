import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { ensureGuard } from "./guard.ts";
import { isInLostSession } from "./lost-session.ts";
import { readProcesses, type Process } from "./process-table.ts";

const linux = test.runIf(process.platform === "linux");

/** A process in a session of its own, whose leader runs `script` and prints the pid to look at. */
async function inSession(script: string): Promise<{ found: Process; table: Process[] }> {
  const leader = spawn("bash", ["-c", script], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(leader, "exit");
  const pid = Number(await text(leader.stdout));
  // A leader that is about to end must not be in the table.
  if (script !== led) await ended;
  onTestFinished(() => void process.kill(pid, "SIGKILL"));
  const table = await readProcesses();
  const found = table.find((one) => one.pid === pid);
  if (found === undefined) throw new Error(`process ${pid} is gone`);
  return { found, table };
}

const orphan = "(sleep 100 >/dev/null & echo $!)";
const led = "sleep 100 >/dev/null & echo $!; exec >/dev/null; wait";

linux(
  "a process is lost if the leader of its session has ended and a Retinue was there first",
  async () => {
    ensureGuard();
    const { found, table } = await inSession(orphan);
    expect(isInLostSession(found, table)).toBe(true);
  },
);

linux("a group of its own does not hide that the leader of the session has ended", async () => {
  ensureGuard();
  const { found, table } = await inSession(`set -m; ${orphan}`);
  expect(isInLostSession(found, table)).toBe(true);
});

linux(
  "a process in a session with a leader is not lost, as in a terminal, a service and by ssh",
  async () => {
    ensureGuard();
    const { found, table } = await inSession(led);
    expect(isInLostSession(found, table)).toBe(false);
  },
);

linux(
  "a daemon that has outlived its leader is not lost if it is older than every Retinue",
  async () => {
    const { found, table } = await inSession(orphan);
    const start = Number(found.started);
    expect(isInLostSession(found, table, () => [])).toBe(false);
    expect(isInLostSession(found, table, () => [start, start + 100])).toBe(false);
    expect(isInLostSession(found, table, () => [start - 1, start + 100])).toBe(true);
    const child = { ...found, pid: found.pid + 1, started: String(start + 500) };
    expect(isInLostSession(child, [...table, child], () => [start + 100])).toBe(false);
  },
);
