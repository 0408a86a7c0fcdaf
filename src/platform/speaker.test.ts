import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { agentsOf } from "./agents-of.ts";
import { awaitCall, callBack } from "./call-back.ts";
import { agentsInSession, ProcessTree } from "./process-tree.ts";
import { readProcesses, type Process } from "./process-table.ts";
import { refusalOf } from "./speaker.ts";

const linux = test.runIf(process.platform === "linux");

test("whoever was called back and has taken the call may speak", async () => {
  using waiting = await awaitCall("here");
  const socket = await callBack(waiting.at, "here");
  onTestFinished(() => void socket.destroy());
  await waiting.called;
  expect(await refusalOf(waiting.at)).toBeNull();
});

linux("an address is dialed for its own session, and not again while it is connected", async () => {
  using waiting = await awaitCall("here");
  await expect(callBack(waiting.at, "elsewhere")).rejects.toThrow("no address for this session");
  const socket = await callBack(waiting.at, "here");
  await expect(callBack(waiting.at, "here")).rejects.toThrow("no address for this session");
  socket.destroy();
  await once(socket, "close");
  const again = await callBack(waiting.at, "here");
  onTestFinished(() => void again.destroy());
});

test("whoever does not know the secret is hung up on", async () => {
  using waiting = await awaitCall("here");
  const { address } = waiting.at;
  const stranger = connect(address.replace(/^@/, "\0"));
  stranger.write("let me in\n");
  await once(stranger, "close");
  const socket = await callBack(waiting.at, "here");
  onTestFinished(() => void socket.destroy());
  (await waiting.called).write("hello\n");
  const [said] = (await once(socket, "data")) as [Buffer];
  expect(String(said)).toBe("hello\n");
});

linux("an address that one process has left and another one has taken is nobody's", async () => {
  const waiting = await awaitCall("here");
  const socket = await callBack(waiting.at, "here");
  const mine = await waiting.called;
  onTestFinished(() => void [socket.destroy(), mine.destroy()]);
  expect(await refusalOf(waiting.at)).toBeNull();
  waiting[Symbol.dispose]();
  const name = waiting.at.address.slice(1);
  const program = `const net = require("net"); net.createServer(() => {}).listen("\\0${name}", () => {
    net.connect("\\0${name}", () => console.log("taken"));
  })`;
  const other = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void other.kill("SIGKILL"));
  await once(other.stdout, "data");
  expect(await refusalOf(waiting.at)).toMatchObject({ agents: [] });
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
    const table = await until(child, pid);
    const found = table.find((one) => one.pid === pid);
    expect([...agentsOf(table, pid)]).toEqual([]);
    expect(found === undefined ? null : agentsInSession(found, table)).toEqual([agent]);
  },
);

/** When its parent is gone. */
async function until(child: { exitCode: number | null }, pid: number): Promise<Process[]> {
  for (;;) {
    const table = await readProcesses();
    const parent = table.find((one) => one.pid === pid)?.parent;
    if (
      child.exitCode !== null &&
      !table.some((one) => one.pid === parent && one.agents.length > 0)
    )
      return table;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
