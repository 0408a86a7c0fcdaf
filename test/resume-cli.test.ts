import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { takeLease } from "../src/transcript/lease/take-lease.ts";
import { temporaryDirectory } from "./support/stage.ts";
import { startNode, type Ran, type Started } from "./support/started.ts";
import { until, untilExists } from "./support/until.ts";
import { bin } from "./support/bin.ts";

const scenario = `
turns:
  - { agent: main, last: /again/, reply: "once more" }
  - { agent: main, last: /other/, reply: "another way" }
  - { agent: main, turn: 1, reply: [{ call: Bash, input: { command: "echo 1 >> effects" } }] }
  - { agent: main, turn: 2, reply: [{ call: Bash, input: { command: "echo 2 >> effects; touch here; sleep 300.{{ prompt }}" } }] }
  - { agent: main, turn: 3, reply: "done: {{ results.1 | first 1 }}" }
`;

interface Place {
  cwd: string;
  env: NodeJS.ProcessEnv;
  retinue: (...args: string[]) => Promise<Ran>;
  /** Runs the text of a module, in the directory of the agents. */
  program: (text: string) => Promise<Ran>;
  /** Starts it, and kills it with -9 in the midst of its second call. */
  crash: (...args: string[]) => Promise<string>;
}

function place(): Place {
  const cwd = temporaryDirectory();
  const elsewhere = temporaryDirectory();
  const env = { ...process.env, CLAUDE_CONFIG_DIR: temporaryDirectory() };
  writeFileSync(join(cwd, "scenario.yaml"), scenario);
  const node = (at: string, args: readonly string[]): Promise<Ran> =>
    startNode(args, { cwd: at, env, stdin: "ignore" }).ended;
  const retinue: Place["retinue"] = (...args) => node(elsewhere, [bin, ...args]);
  return {
    cwd,
    env,
    retinue,
    program: (text) => node(cwd, ["--input-type=module", "-e", text]),
    crash: async (...args) => {
      const options = ["--rehearse", "scenario.yaml", "--allowedTools", "Bash", "-q"];
      const run = [bin, "run", ...options, ...args, "77"];
      const { child } = startNode(run, { cwd, env, stdin: "ignore" });
      await untilExists(join(cwd, "here"));
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
      const { stdout } = await retinue("ps", "-a", "--json");
      const [agent] = JSON.parse(stdout) as { id: string; state: string }[];
      expect(agent?.state).toBe("interrupted");
      return agent?.id ?? "";
    },
  };
}

test("resume --all goes on from anywhere, with the options of the start, and repeats nothing", async () => {
  const { cwd, retinue, crash } = place();
  const id = await crash();
  const { code, stdout } = await retinue("resume", "--all", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ id, state: "completed" }]]);
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("1\n2\n");
  expect((await retinue("output", id)).stdout).toMatch(/^done: Interrupted: the process/);
  const again = await retinue("resume", "--all");
  expect([again.code, again.stderr]).toEqual([0, "No agent was interrupted.\n"]);
});

test("one is resumed by the beginning of its id or by its name, and with a new task", async () => {
  const { retinue, crash } = place();
  const id = await crash("--name", "night");
  const first = await retinue("resume", "night");
  expect([first.code, first.stdout]).toMatchObject([0, /^done: Interrupted/]);
  const second = await retinue("resume", id.slice(0, 8), "again", "please");
  expect([second.code, second.stdout]).toEqual([0, "once more\n"]);
  const idle = await retinue("resume", id);
  expect(idle.code).toBe(2);
  expect(idle.stderr).toContain("has completed its task. Give it a new one.");
  expect((await retinue("resume", "nobody")).code).toBe(3);
  expect((await retinue("resume")).stderr).toContain("retinue ps -a");
});

test("a branch leaves the original as it is", async () => {
  const { cwd, retinue, crash } = place();
  const id = await crash();
  const branch = await retinue(
    "resume",
    id,
    "--branch",
    "--turn",
    "1",
    "the",
    "other",
    "way",
    "--json",
  );
  expect(branch.code).toBe(0);
  expect(branch.stdout).toContain("another way");
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("1\n2\n");
  const rows = JSON.parse((await retinue("ps", "-a", "--json")).stdout) as {
    id: string;
    state: string;
  }[];
  expect(
    rows.map(({ id: one, state }) => (one === id ? "original" : "copy") + " " + state).toSorted(),
  ).toEqual(["copy completed", "original interrupted"]);
});

test("a detached copy, and a copy that is resumed detached, are reported with their own transcripts", async () => {
  const { retinue, crash } = place();
  const id = await crash();
  const report = async (...args: string[]): Promise<{ id: string; transcript: string }> => {
    const { stdout } = await retinue("resume", ...args, "-d", "--json");
    const told = JSON.parse(stdout) as { id: string; transcript: string };
    expect((await retinue("wait", told.id)).code).toBe(0);
    return told;
  };
  const copy = await report(id, "--branch", "the other way");
  expect(copy.transcript).toMatch(new RegExp(`/subagents/agent-${copy.id}\\.jsonl$`));
  expect(existsSync(copy.transcript)).toBe(true);
  expect(await report(copy.id, "again")).toMatchObject({
    id: copy.id,
    transcript: copy.transcript,
  });
  expect(await report(id, "again")).toMatchObject({
    id,
    transcript: expect.not.stringContaining("subagents") as string,
  });
});

test("secrets of the start are not kept, so they are asked for", async () => {
  const { retinue, crash } = place();
  const id = await crash("--redact", "hunter2hunter2");
  const refused = await retinue("resume", id);
  expect([refused.code, refused.stderr]).toMatchObject([2, /started with --redact/]);
  expect((await retinue("resume", id, "--redact", "hunter2hunter2")).code).toBe(0);
});

/** What goes on after the crash is a command that heeds no request to end. */
async function goingOn(signalled: Place): Promise<Started & { id: string }> {
  const { cwd, env, crash } = signalled;
  const id = await crash();
  const command = "trap '' TERM; touch there; while :; do sleep 0.1; done";
  const stubborn = `{ call: Bash, input: { command: "${command}" } }`;
  writeFileSync(
    join(cwd, "scenario.yaml"),
    scenario.replace(/turn: 3, reply: .*/, `turn: 3, reply: [${stubborn}] }`),
  );
  const started = startNode([bin, "resume", "--all"], { cwd, env, stdin: "ignore" });
  await untilExists(join(cwd, "there"));
  return { id, ...started };
}

test("agents that resume --all goes on with can be reached from other terminals", async () => {
  const here = place();
  const { id, ended, printed } = await goingOn(here);
  expect(await here.retinue("kill", id)).toMatchObject({ code: 0 });
  expect(await ended).toMatchObject({ code: 1 });
  expect(printed().stdout).toBe(`${id} stopped\n`);
});

test("a second Ctrl+C ends resume --all at once", async () => {
  const { child, ended, printed } = await goingOn(place());
  child.kill("SIGINT");
  await until(() => expect(printed().stderr).toContain("Ctrl+C again"));
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 130 });
  expect(printed().stdout).toBe("");
});

test("a terminal that is closed stops what resume --all goes on with", async () => {
  const here = place();
  const { id, child, ended } = await goingOn(here);
  child.kill("SIGHUP");
  expect(await ended).toMatchObject({ code: 129 });
  const { stdout } = await here.retinue("ps", "-a", "--json");
  expect(JSON.parse(stdout)).toMatchObject([{ id, state: "stopped" }]);
});

test("Ctrl+C while a session is being opened keeps resume --all from going on with it", async () => {
  const { program, crash, retinue } = place();
  const id = await crash();
  const module = new URL("../src/cli/run/resume-all.ts", import.meta.url).href;
  const text = `
    const { resumeAllCommand } = await import(${JSON.stringify(module)});
    const options = { allowedTools: [], outputFormat: "text", color: "never", json: true };
    // The options are read last before the model is chosen.
    let pressed = false;
    Object.defineProperty(options, "rehearse", {
      enumerable: true,
      get: () => void (pressed ||= process.emit("SIGINT", "SIGINT")),
    });
    await resumeAllCommand(options);
  `;
  expect(await program(text)).toMatchObject({
    code: 130,
    stdout: expect.stringContaining("Not resumed: interrupted by SIGINT") as string,
  });
  const { stdout } = await retinue("ps", "-a", "--json");
  expect(JSON.parse(stdout)).toMatchObject([{ id, state: "interrupted" }]);
});

test("resume --all says which process runs a session, and what to type", async () => {
  const { crash, retinue } = place();
  const id = await crash();
  const rows = JSON.parse((await retinue("ps", "-a", "--json")).stdout) as { transcript: string }[];
  const directory = (rows[0]?.transcript ?? "").replace(/\.jsonl$/, "");
  const lease = takeLease({ lease: join(directory, "lease.json") });
  onTestFinished(() => lease.release());
  const { code, stdout } = await retinue("resume", "--all");
  expect([code, stdout]).toEqual([
    1,
    `${id} interrupted Process ${process.pid} has its session open. If that process resumes the agent, 'retinue wait ${id}' waits for its end, 'retinue attach ${id}' shows it; otherwise run 'retinue resume ${id}'.\n`,
  ]);
});

test("an agent that another resume --all took a moment before is not called interrupted", async () => {
  const { program, crash } = place();
  const id = await crash();
  const source = (path: string): string =>
    JSON.stringify(new URL(`../src/${path}`, import.meta.url).href);
  const text = `
    const { readFileSync, writeFileSync } = await import("node:fs");
    const { resumeAllCommand } = await import(${source("cli/run/resume-all.ts")});
    const { findAgents, sessionDirectory } = await import(${source("transcript/agent-on-disk.ts")});
    const { takeLease } = await import(${source("transcript/lease/take-lease.ts")});
    const { processStart } = await import(${source("processes/process-start.ts")});
    const [agent] = await findAgents(process.env.CLAUDE_CONFIG_DIR);
    const options = { allowedTools: [], outputFormat: "text", color: "never" };
    // The options are read after the look at the lease.
    let taken = false;
    Object.defineProperty(options, "rehearse", {
      enumerable: true,
      get() {
        if (taken) return;
        taken = true;
        takeLease({ lease: sessionDirectory(agent.file) + "/lease.json" });
        const meta = JSON.parse(readFileSync(agent.file, "utf8"));
        Object.assign(meta.retinue, { pid: process.pid, pidStart: processStart(process.pid) });
        writeFileSync(agent.file, JSON.stringify(meta));
        console.error(process.pid);
      },
    });
    await resumeAllCommand(options);
  `;
  const { code, stdout, stderr } = await program(text);
  expect([code, stdout]).toEqual([
    1,
    `${id} running Process ${stderr.trim()} is resuming it now: 'retinue wait ${id}' waits for its end, 'retinue attach ${id}' shows it.\n`,
  ]);
});

test.each([
  [["--all", "go", "on"], "not both"],
  [["--all", "--branch"], "--branch copies one agent"],
  [["--all", "--turn", "2"], "--turn works only with --branch"],
  [["--all", "-d"], "leave out -d"],
  [["a1", "--turn", "2"], "add --branch"],
])("resume %j is refused: nothing that is said is passed over", async (args, says) => {
  const { code, stderr } = await place().retinue("resume", ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});

test("resume --all leaves out an agent whose end is in its transcript alone, whoever owns its session", async () => {
  const { env, crash, retinue } = place();
  await crash();
  const rows = JSON.parse((await retinue("ps", "-a", "--json")).stdout) as { transcript: string }[];
  const transcript = rows[0]?.transcript ?? "";
  const end = { type: "retinue-end", timestamp: new Date().toISOString() };
  appendFileSync(transcript, `${JSON.stringify({ ...end, result: { state: "failed" } })}\n`);
  const nothing = { code: 0, stdout: "", stderr: "No agent was interrupted.\n" };
  expect(await retinue("resume", "--all")).toEqual(nothing);
  const lease = takeLease({ lease: join(transcript.replace(/\.jsonl$/, ""), "lease.json") });
  onTestFinished(() => lease.release());
  expect(await retinue("resume", "--all")).toEqual(nothing);
  lease.release();
  env["RETINUE_AGENT"] = "a1";
  expect(await retinue("resume", "--all")).toEqual(nothing);
});

test("resume --all of a command of an agent goes on with nothing", async () => {
  const { env, crash, retinue } = place();
  const id = await crash();
  env["RETINUE_AGENT"] = "a1";
  const { code, stdout } = await retinue("resume", "--all", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    [{ id, state: "interrupted", error: expect.stringContaining("only a person") as string }],
  ]);
});
