import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { agentsOf } from "./agents-of.ts";
import { readProcesses } from "./process-table.ts";
import { agentsInSession, ProcessTree } from "./process-tree.ts";
import { ledByRetinue } from "./shown-owner.ts";

const linux = test.runIf(process.platform === "linux");

linux(
  "a command that has replaced its own shell is known by the Retinue above it, also in a session of its own",
  async () => {
    const agent = "a0000000000000002";
    const tree = new ProcessTree(agent);
    onTestFinished(async () => void (await tree.killAll()));
    const script =
      "exec 64<&- 65<&-; exec env -i bash -c 'setsid sleep 100 >/dev/null 2>&1 & echo $$ $!; exec >&- 2>&-; wait'";
    const child = tree.start("bash", ["-c", script], { cwd: "/", env: process.env });
    const [leader = 0, inner = 0] = (await text(child.stdout)).split(" ").map(Number);
    const table = await readProcesses();
    expect(leader).toBe(child.pid);
    for (const pid of [leader, inner]) {
      expect([...agentsOf(table, pid)]).toEqual([]);
      expect(ledByRetinue(table, pid).map((one) => one.pid)).toEqual([leader]);
      const found = table.find((one) => one.pid === pid);
      expect(found === undefined ? null : agentsInSession(found, table)).toEqual([agent]);
    }
  },
);

linux("a command that has also lost its parent is known by the leader of its session", async () => {
  const tree = new ProcessTree("a0000000000000004");
  onTestFinished(async () => void (await tree.killAll()));
  const inner = "(sleep 100 >/dev/null 2>&1 & echo $!); exec >&- 2>&-; exec sleep 100";
  const script = `exec 64<&- 65<&-; exec env -i bash -c '${inner}'`;
  const child = tree.start("bash", ["-c", script], { cwd: "/", env: process.env });
  const pid = Number(await text(child.stdout));
  const table = await readProcesses();
  expect([...agentsOf(table, pid)]).toEqual([]);
  expect(table.find((one) => one.pid === pid)?.parent).not.toBe(child.pid);
  expect(ledByRetinue(table, pid).map((one) => one.pid)).toEqual([child.pid]);
});

linux("a child of a host that opens no session of its own is the host's own program", async () => {
  const tree = new ProcessTree("a0000000000000003");
  await text(tree.start("true", [], { cwd: "/", env: process.env }).stdout);
  const child = spawn("sleep", ["100"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(ledByRetinue(await readProcesses(), child.pid ?? 0)).toEqual([]);
});
