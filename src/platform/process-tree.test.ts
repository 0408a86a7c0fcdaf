import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { ProcessTree, type StartedProcess } from "./process-tree.ts";

const trees: ProcessTree[] = [];

afterEach(async () => {
  await Promise.all(trees.splice(0).map((tree) => tree.killAll()));
});

function plant(): { tree: ProcessTree; mark: string; bash: (script: string) => StartedProcess } {
  const name = `test-${randomUUID()}`;
  const tree = new ProcessTree(name);
  trees.push(tree);
  return {
    tree,
    mark: `RETINUE_AGENT=${name}`,
    bash: (script) => tree.start("bash", ["-c", script], { cwd: "/", env: process.env }),
  };
}

/** Waits until the script has said that everything it starts is there. */
async function ready(child: StartedProcess): Promise<void> {
  await once(child.stdout, "data");
}

/** Commands of the living processes whose environment holds the mark. */
function marked(mark: string): string[] {
  return readdirSync("/proc").flatMap((pid) =>
    textOf(`/proc/${pid}/environ`).split("\0").includes(mark)
      ? [textOf(`/proc/${pid}/cmdline`).split("\0").join(" ").trim()]
      : [],
  );
}

/** A zombie is dead: where init does not reap, it stays in the table. */
function isAlive(pid: number): boolean {
  return /\) [^ZX]/.test(textOf(`/proc/${pid}/stat`));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

const lastPid = "/proc/sys/kernel/ns_last_pid";

function canChoosePids(): boolean {
  try {
    accessSync(lastPid, constants.W_OK);
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

/** Whether the dead that nobody has waited for are also gone. */
function isEmpty(session: number): boolean {
  return readdirSync("/proc").every(
    (pid) => textOf(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ")[3] !== String(session),
  );
}

/** Starts a process that leads the session of this number. Others may take the number meanwhile, so it tries. */
async function leadSession(number: number): Promise<void> {
  await expect.poll(() => isEmpty(number), { timeout: 20_000 }).toBe(true);
  for (let attempt = 0; attempt < 100; attempt++) {
    const script = `echo ${number - 1} >${lastPid}; setsid sleep 300 >/dev/null & echo $!; wait`;
    const shell = spawn("bash", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] });
    const [said] = (await once(shell.stdout, "data")) as [Buffer];
    const pid = Number(said);
    onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
    if (pid !== number) continue;
    await expect.poll(() => textOf(`/proc/${pid}/cmdline`)).toContain("sleep");
    return;
  }
  throw new Error(`No process could be started with the pid ${number}.`);
}

/** Goes, leaves one process in its session, and says the number of that and of the process. */
const leaver = "sleep 300 >/dev/null 2>&1 & echo $$ $!";

describe("ending all processes of an agent", () => {
  test.each([
    [
      "children in the background and in another session",
      "sleep 300 & setsid sleep 300 & echo ready; wait",
      3,
    ],
    [
      "a shell and a child that ignore SIGTERM",
      "trap '' TERM; sleep 300 & echo ready; wait; sleep 300",
      2,
    ],
    [
      "a daemon that forked twice and left its session",
      "(setsid bash -c 'sleep 300 & echo ready; exec sleep 300' &) & wait",
      2,
    ],
    [
      "a child with a cleared environment in the same session",
      "env -i sleep 300 & echo ready; wait",
      2,
    ],
    [
      "a child with a cleared environment in its own session while its parent lives",
      "env -i setsid sleep 300 & echo ready; wait",
      2,
    ],
    ["a stopped child", "sleep 300 & kill -STOP $!; echo ready; wait", 2],
    ["a child in a process group of its own", "set -m; env -i sleep 300 & echo ready; wait", 2],
  ])("also ends %s", async (_, script, processes) => {
    const { tree, mark, bash } = plant();
    const child = bash(script);
    await ready(child);
    expect(await tree.killAll()).toBeGreaterThanOrEqual(processes);
    expect(marked(mark)).toEqual([]);
  });

  test("finds the children of a shell that has already gone", async () => {
    const { tree, mark, bash } = plant();
    const child = bash("sleep 300 & setsid sleep 300 &");
    await once(child, "exit");
    while (marked(mark).some((command) => command !== "sleep 300")) await setTimeout(5);
    expect(await tree.killAll()).toBe(2);
    expect(marked(mark)).toEqual([]);
  });

  test("finds a process without any mark whose shell has already gone, by its session", async () => {
    const { tree, bash } = plant();
    const child = bash("env -i sleep 300 64>&- 65>&- & echo $!");
    const [pid] = (await once(child.stdout, "data")) as [Buffer];
    await once(child, "exit");
    expect(isAlive(Number(pid))).toBe(true);
    expect(await tree.killAll()).toBe(1);
    expect(isAlive(Number(pid))).toBe(false);
  });

  test("finds such a process also in a group of its own, by its session", async () => {
    const { tree, bash } = plant();
    const child = bash("sleep 300 & set -m; env -i sleep 300 & echo $!");
    const [pid] = (await once(child.stdout, "data")) as [Buffer];
    await once(child, "exit");
    expect(await tree.killAll()).toBe(2);
    expect(isAlive(Number(pid))).toBe(false);
  });

  test("goes on until a process that replaces itself when told to end is gone", async () => {
    const { tree, mark, bash } = plant();
    const child = bash(
      "trap 'setsid sleep 300 & exit' TERM; echo ready; while :; do sleep 0.01; done",
    );
    await ready(child);
    await tree.killAll();
    expect(marked(mark)).toEqual([]);
  });

  test("lets a process that obeys SIGTERM finish its own way", async () => {
    const { tree, bash } = plant();
    const child = bash("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done");
    await ready(child);
    const [[code], [said]] = await Promise.all([
      once(child, "exit"),
      once(child.stdout, "data"),
      tree.killAll({ graceMs: 5000 }),
    ]);
    expect([code, String(said)]).toEqual([7, "bye\n"]);
  });

  test("ends fifty trees at the same time", async () => {
    const forest = Array.from({ length: 50 }, plant);
    await Promise.all(
      forest.map(({ bash }) => ready(bash("sleep 300 & setsid sleep 300 & echo ready; wait"))),
    );
    const died = await Promise.all(forest.map(({ tree }) => tree.killAll()));
    expect(Math.min(...died)).toBeGreaterThanOrEqual(3);
    expect(forest.flatMap(({ mark }) => marked(mark))).toEqual([]);
  });

  test("does nothing the second time, and nothing when nothing was started", async () => {
    const { tree, bash } = plant();
    expect(await tree.killAll()).toBe(0);
    await ready(bash("echo ready; exec sleep 300"));
    expect(await Promise.all([tree.killAll(), tree.killAll()])).toEqual([1, 1]);
    expect(await tree.killAll()).toBe(0);
  });

  test.skipIf(!canChoosePids())(
    "leaves a stranger alone that has got the number of a session whose last process ended unseen",
    async () => {
      const { tree, bash } = plant();
      const child = bash(leaver);
      const [[said]] = await Promise.all([once(child.stdout, "data"), once(child, "exit")]);
      const [session = 0, left = 0] = String(said).split(" ").map(Number);
      process.kill(left, "SIGKILL");
      await leadSession(session);
      expect(await tree.killAll()).toBe(0);
      expect(isAlive(session)).toBe(true);
    },
  );

  test.skipIf(!canChoosePids())(
    "leaves such a stranger alone also when the process exits",
    async () => {
      const tree = JSON.stringify(new URL("process-tree.ts", import.meta.url));
      const program = `
      import { ProcessTree } from ${tree};
      const child = new ProcessTree("test").start("bash", ["-c", ${JSON.stringify(leaver)}], { cwd: "/", env: {} });
      let said = "";
      child.stdout.on("data", (text) => (said += text));
      child.once("close", () => console.log(said));
      process.stdin.on("end", () => process.exit()).resume();`;
      const owner = spawn(process.execPath, ["--input-type=module", "--eval", program], {
        stdio: ["pipe", "pipe", "ignore"],
      });
      const [said] = await once(owner.stdout, "data");
      const [session = 0, left = 0] = String(said).split(" ").map(Number);
      process.kill(left, "SIGKILL");
      await leadSession(session);
      owner.stdin.end();
      await once(owner, "exit");
      expect(isAlive(session)).toBe(true);
    },
  );

  test("leaves the processes of other agents alone", async () => {
    const [mine, other] = [plant(), plant()];
    await Promise.all([mine, other].map(({ bash }) => ready(bash("echo ready; exec sleep 300"))));
    await mine.tree.killAll();
    expect(marked(other.mark)).toEqual(["sleep 300"]);
  });
});

describe("ending one started process", () => {
  test("ends its tree and leaves what earlier ones left behind", async () => {
    const { tree, mark, bash } = plant();
    const earlier = bash("setsid sleep 301 & sleep 301 & echo ready");
    await Promise.all([once(earlier, "exit"), ready(earlier)]);
    const later = bash("setsid sleep 302 & sleep 302 & echo ready; wait");
    await ready(later);
    expect(await tree.kill(later)).toBeGreaterThanOrEqual(3);
    expect(marked(mark)).toEqual(["sleep 301", "sleep 301"]);
  });

  test("does nothing for a process that could not be started", async () => {
    const { tree } = plant();
    const child = tree.start("/no/such/program", [], { cwd: "/", env: {} });
    await once(child, "error");
    expect(await tree.kill(child)).toBe(0);
    expect(await tree.killAll()).toBe(0);
  });
});
