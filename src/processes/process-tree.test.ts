import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { ProcessTree, type StartedProcess } from "./process-tree.ts";
import { until } from "../../test/support/until.ts";

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

/** A pid namespace of its own: there it can be said which number the next process gets, and it disturbs nobody. */
const inNamespace = ["--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c"];
const canChoosePids =
  spawnSync("unshare", [...inNamespace, "test -w /proc/sys/kernel/ns_last_pid"]).status === 0;

/**
 * Runs an agent's command that leaves one process in its session. That process ends, and the number of the session goes
 * to a stranger: not in the same hundredth of a second, which is how the kernel counts when processes start. Then
 * `ending` is run, and the state of the stranger is told.
 */
function strangerAfter(ending: string): string {
  const program = `
    import { spawnSync } from "node:child_process";
    import { once } from "node:events";
    import { ProcessTree } from ${JSON.stringify(new URL("process-tree.ts", import.meta.url))};
    const tree = new ProcessTree("test");
    const child = tree.start("bash", ["-c", "sleep 300 >/dev/null 2>&1 & echo $!"], { cwd: "/", env: process.env });
    const [[left]] = await Promise.all([once(child.stdout, "data"), once(child, "exit")]);
    process.kill(Number(left), "SIGKILL");
    const take = "sleep 0.1; until echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid; setsid sleep 300 & (($! == $1)); do kill $!; sleep 0.1; done";
    spawnSync("bash", ["-c", take, "bash", String(child.pid)], { stdio: "ignore" });
    console.log(child.pid);
    ${ending}`;
  const script = 'session=$("$0" --input-type=module --eval "$1"); ps -o stat=,args= -p $session';
  const run = spawnSync("unshare", [...inNamespace, script, process.execPath, program]);
  return String(run.stdout).trim();
}

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
    await until(() => marked(mark).every((command) => command === "sleep 300"));
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

  test("who cleans up with the help of others is asked to end once, and they are left to help", async () => {
    const { tree, bash } = plant();
    const child = bash(
      "trap 'for i in 1 2 3 4 5; do sleep 0.1 || exit 1; done; echo clean; exit' TERM; echo ready; while :; do sleep 1; done",
    );
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += String(chunk)));
    await ready(child);
    // The shell and, if it was seen, its sleep; not those that it needed afterwards.
    expect(await tree.killAll({ graceMs: 20_000 })).toBeLessThanOrEqual(2);
    expect(said).toBe("ready\nclean\n");
  });

  test.skipIf(!canChoosePids).each(["await tree.killAll();", "process.exit();"])(
    "leaves a stranger alone that has got the number of a session whose last process ended unseen: %s",
    (ending) => {
      expect(strangerAfter(ending)).toMatch(/^S.* sleep 300$/);
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
