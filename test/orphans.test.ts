import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { guardName } from "../src/processes/guard.ts";
import { findOrphans, reapOrphans } from "../src/processes/orphans.ts";
import { ProcessTree } from "../src/processes/process-tree.ts";
import { processStart } from "../src/processes/process-start.ts";
import { sleepers } from "./support/sleepers.ts";
import { setStage } from "./support/stage.ts";
import { until } from "./support/until.ts";

const program = fileURLToPath(new URL("support/owning.ts", import.meta.url));
const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

interface Owner {
  agent: string;
  process: ChildProcess;
}

/** A Retinue in a process of its own, with one agent that runs a script. */
function own(script: string): Owner {
  const agent = `test-${randomUUID()}`;
  const child = spawn(process.execPath, [program, agent, script], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { agent, process: child };
}

async function killed({ process: child }: Owner): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** The guards that a process has. */
function guardsOf({ process: child }: Owner): number[] {
  return readdirSync("/proc").flatMap((name) => {
    const [stat, command] = [textOf(`/proc/${name}/stat`), textOf(`/proc/${name}/cmdline`)];
    const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
    return command.startsWith(`${guardName}\0`) && parent === String(child.pid)
      ? [Number(name)]
      : [];
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

test("what the agents of a killed process started is ended by its guard, which then goes too", async () => {
  const brood = sleepers();
  const owner = own(`${brood.script}; sleep 300`);
  await brood.until(brood.count);
  const [guard = 0, ...more] = guardsOf(owner);
  expect(more).toEqual([]);
  await killed(owner);
  await brood.until(0);
  await until(() => expect(processStart(guard)).toBe(""));
});

test("a guard leaves alone whose environment only quotes the mark of its owner", async () => {
  const brood = sleepers();
  const owner = own(`${brood.script}; sleep 300`);
  await brood.until(brood.count);
  const [guard = 0] = guardsOf(owner);
  const mark = textOf(`/proc/${guard}/cmdline`).split("\0").at(-2) ?? "";
  const bystanders = [
    { NOTE: `started with RETINUE_OWNER=${mark}` },
    { NOTE: `first\nRETINUE_OWNER=${mark}` },
    { MY_RETINUE_OWNER: mark },
    { RETINUE_OWNER: `${mark}0` },
  ].map((env) => spawn("sleep", ["300"], { env: { PATH: process.env["PATH"], ...env } }));
  const inner = spawn("sleep", ["300"], {
    env: { PATH: process.env["PATH"], RETINUE_OWNER: `1@1:1:1,${mark},2@2:2:2` },
  });
  onTestFinished(() => [...bystanders, inner].forEach((child) => child.kill("SIGKILL")));
  await Promise.all([killed(owner), once(inner, "exit")]);
  await brood.until(0);
  await until(() => expect(processStart(guard)).toBe(""));
  expect(bystanders.map(({ signalCode }) => signalCode)).toEqual([null, null, null, null]);
});

test("a guard that is killed itself is replaced when the next process is started", async () => {
  const tree = new ProcessTree(`test-${randomUUID()}`);
  const start = (): Promise<unknown> =>
    once(tree.start("true", [], { cwd: "/", env: process.env }), "exit");
  const self = { agent: "", process: { pid: process.pid } as ChildProcess };
  await start();
  const [guard = 0] = guardsOf(self);
  process.kill(guard, "SIGKILL");
  await until(async () => {
    await start();
    const replaced = guardsOf(self).filter((pid) => pid !== guard && processStart(pid) !== "");
    expect(replaced).toHaveLength(1);
  });
  await tree.killAll();
});

// Another Retinue on this machine may look at the same moment and be quicker: then it is done over.
test(
  "what a killed process and its killed guard left is found and reaped by another",
  { retry: 3 },
  async () => {
    const brood = sleepers();
    const [owner, other] = [own(`${brood.script}; sleep 300`), own("sleep 300")];
    await brood.until(brood.count);
    const found = async (agent: string): Promise<string[]> =>
      (await findOrphans())
        .filter(({ agentIds }) => agentIds.includes(agent))
        .map(({ command }) => command);
    expect(await found(owner.agent)).toEqual([]);
    for (const guard of guardsOf(owner)) process.kill(guard, "SIGKILL");
    await killed(owner);
    expect(brood.alive()).toBe(brood.count);
    expect(
      (await found(owner.agent)).filter((command) => command.startsWith("sleep 300.")),
    ).toHaveLength(brood.count);
    const reaped = await reapOrphans();
    expect(reaped.processes).toBeGreaterThanOrEqual(brood.count);
    expect(reaped.agentIds).toContain(owner.agent);
    expect(brood.alive()).toBe(0);
    expect(await found(other.agent)).toEqual([]);
    expect(other.process.exitCode).toBe(null);
  },
);

test("what they left is ended beside the next run, after a model has answered", async () => {
  const brood = sleepers();
  const owner = own(`${brood.script}; sleep 300`);
  await brood.until(brood.count);
  for (const guard of guardsOf(owner)) process.kill(guard, "SIGKILL");
  const { manager } = setStage("turns: [{ reply: ok }]");
  await killed(owner);
  const { id } = await manager.main({ prompt: "hi" });
  await manager.output(id, { block: true });
  await brood.until(0);
});

test("what a Retinue inside an agent starts belongs to both: the outer one ends it too", async () => {
  const brood = sleepers();
  const inner = [process.execPath, program, "test-inner", `${brood.script}; sleep 300`];
  const tree = new ProcessTree(`test-${randomUUID()}`);
  tree.start("bash", ["-c", inner.map(shellWord).join(" ")], { cwd: "/", env: process.env });
  await brood.until(brood.count);
  expect(await tree.killAll()).toBeGreaterThan(brood.count);
  expect(brood.alive()).toBe(0);
});

test("a killed Retinue inside an agent takes its own along and leaves those of the outer one", async () => {
  const [outside, inside] = [sleepers(), sleepers()];
  const inner = [process.execPath, program, "test-inner", `${inside.script}; sleep 300`];
  const tree = new ProcessTree(`test-${randomUUID()}`);
  const script = `${outside.script}; ${inner.map(shellWord).join(" ")} & kill=$!; echo $kill; wait; sleep 300`;
  const child = tree.start("bash", ["-c", script], { cwd: "/", env: process.env });
  const [pid] = (await once(child.stdout, "data")) as [Buffer];
  await Promise.all([outside.until(outside.count), inside.until(inside.count)]);
  process.kill(Number(pid), "SIGKILL");
  await inside.until(0);
  expect(outside.alive()).toBe(outside.count);
  await tree.killAll();
  expect(outside.alive()).toBe(0);
});

test("a process that has ended but was not waited for counts as gone", async () => {
  const parent = spawn("bash", ["-c", "sleep 0 & echo $!; exec sleep 300"]);
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [pid] = (await once(parent.stdout, "data")) as [Buffer];
  await until(() => expect(textOf(`/proc/${Number(pid)}/stat`)).toContain(") Z "));
  expect(processStart(Number(pid))).toBe("");
  expect(processStart(parent.pid ?? 0)).not.toBe("");
});

test("the marks are in nobody's way: descriptors of a command are its own", async () => {
  const tree = new ProcessTree(`test-${randomUUID()}`);
  onTestFinished(() => void tree.killAll());
  const script = `exec 3>&1 4>&1; echo three >&3; exec 9>&1; echo nine >&9; cat <(echo substituted); { echo named >&$fd; } {fd}>&1; exec 64>&1; echo high >&64`;
  const child = tree.start("bash", ["-c", script], { cwd: "/", env: process.env });
  const said: string[] = [];
  child.stdout.on("data", (chunk: Buffer) => said.push(String(chunk)));
  await once(child, "close");
  expect(said.join("").split("\n")).toEqual(["three", "nine", "substituted", "named", "high", ""]);
});
