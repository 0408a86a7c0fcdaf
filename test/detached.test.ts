import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leaseOf, office, untilGo, type Detached } from "./support/office.ts";
import { until } from "./support/until.ts";

const mode = (path: string): number => statSync(path).mode & 0o777;
const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
};

test("a detached run is listed, followed, watched, waited for and read from other processes, by name and by the beginning of its id", async () => {
  const { detach, json, start, retinue, go, runtime } = office();
  const run = await detach("--name", "fixer", "--allowedTools", "Bash");
  expect(await json("ps", "--json")).toMatchObject([
    {
      id: run.id,
      name: "fixer",
      state: "running",
      sessionId: run.sessionId,
      transcript: run.transcript,
    },
  ]);
  const { path, lease } = leaseOf(run);
  expect(lease.pid).toBe(run.pid);
  const socket = lease.socket ?? "";
  expect([mode(path), mode(run.log), mode(socket), mode(join(runtime, "retinue"))]).toEqual([
    0o600, 0o600, 0o600, 0o700,
  ]);
  expect((await retinue("ps")).stdout).toContain("fixer");

  const listing = start("ps", "--watch", "-a", "--json", "--filter", "name=fixer");
  const logs = start("logs", "-f", run.id.slice(0, 8));
  const attached = start("attach", "fixer");
  const waiting = [start("wait", run.id.slice(0, 8)), start("wait", "--json", "fixer")];
  await until(() => expect(attached.printed().stderr).toContain("fixer  started"));
  await until(() => expect(listing.printed().stdout).toContain('"running"'));
  go();
  expect(await Promise.all(waiting.map(({ ended }) => ended))).toMatchObject([
    { code: 0, stdout: `${run.id}  completed\n` },
    { code: 0 },
  ]);
  expect(await attached.ended).toMatchObject({
    code: 0,
    stdout: "went\n",
    stderr: expect.stringContaining("fixer  completed") as string,
  });
  const followed = await logs.ended;
  expect(followed.stdout).toMatch(/▸ Bash[\s\S]*went[\s\S]*completed\n$/);
  expect((await retinue("output", "fixer")).stdout).toBe("went\n");
  await until(() => expect(listing.printed().stdout).toMatch(/"running"[\s\S]*"completed"/));

  await until(() => expect(isAlive(run.pid)).toBe(false));
  expect([path, socket].filter((file) => existsSync(file))).toEqual([]);
  expect(readFileSync(run.log, "utf8")).toMatch(/fixer {2}started[\s\S]*\nwent\n/);
});

test("stop ends it with what it started, and everybody who waits or watches hears of it", async () => {
  const { detach, json, start, cwd } = office();
  const run = await detach("--allowedTools", "Bash");
  await until(() => expect(existsSync(join(cwd, "shell"))).toBe(true));
  const shell = Number(readFileSync(join(cwd, "shell"), "utf8"));
  const attached = start("attach", run.id);
  const waiting = [start("wait", run.id), start("wait", run.id)];
  await until(() => expect(attached.printed().stderr).toContain("started"));
  expect(await json("stop", "--json", "-t", "1", run.id)).toMatchObject([
    { id: run.id, state: "stopped" },
  ]);
  expect(isAlive(shell)).toBe(false);
  const ended = await Promise.all([...waiting, attached].map((one) => one.ended));
  expect(ended.map(({ code }) => code)).toEqual([143, 143, 143]);
  expect(await json("stop", "--json", run.id)).toEqual([
    { id: run.id, state: "stopped", note: "it had already ended" },
  ]);
});

test.each(["0", "0.5"])("stop takes %s seconds, as its help says that it may", async (time) => {
  const { detach, json } = office();
  const run = await detach("--allowedTools", "Bash");
  expect(await json("stop", "--json", "-t", time, run.id)).toMatchObject([
    { id: run.id, state: "stopped" },
  ]);
});

test.each(["-1", "half", "1e9", "2000001", ""])(
  "stop -t '%s' is refused with what it takes",
  async (time) => {
    const { retinue } = office();
    expect(await retinue("stop", "--all", `--time=${time}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("a number from 0 to 2000000") as string,
    });
  },
);

test("stop --all ends every agent, and Ctrl+C in attach ends none", async () => {
  const { detach, json, start, retinue } = office();
  const runs = [await detach("--allowedTools", "Bash"), await detach("--allowedTools", "Bash")];
  const attached = start("attach", runs[0]?.id ?? "");
  await until(() => expect(attached.printed().stderr).toContain("started"));
  attached.child.kill("SIGINT");
  expect(await attached.ended).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("keeps running") as string,
  });
  expect(await json<unknown[]>("ps", "--json")).toHaveLength(2);
  const stopped = await json<{ id: string }[]>("stop", "--all", "--json");
  expect(stopped.map(({ id }) => id).toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
  expect(await json("ps", "--json")).toEqual([]);
  expect((await retinue("stop", "--all")).stderr).toBe("No agent is running.\n");
});

test("when its process is killed, whoever waits or watches hears that it was interrupted and how to go on", async () => {
  const { detach, start, retinue, json } = office();
  const run = await detach("--name", "fixer", "--allowedTools", "Bash");
  const waiting = start("wait", "fixer");
  const attached = start("attach", "fixer");
  await until(() => expect(attached.printed().stderr).toContain("started"));
  process.kill(run.pid, "SIGKILL");
  expect(await waiting.ended).toMatchObject({ code: 1, stdout: `${run.id}  interrupted\n` });
  const remedy = `Agent ${run.id} was interrupted: its process ${run.pid} is gone. 'retinue resume ${run.id}' continues it.`;
  const interrupted = { code: 1, stdout: "", stderr: expect.stringContaining(remedy) as string };
  expect(await attached.ended).toMatchObject(interrupted);
  expect(await retinue("attach", "fixer")).toMatchObject(interrupted);
  expect(await retinue("send", "fixer", "hello")).toMatchObject(interrupted);
  expect(await retinue("background", "fixer")).toMatchObject(interrupted);
  for (const verb of ["stop", "kill"]) {
    expect(await json(verb, "--json", "fixer")).toMatchObject([
      {
        id: run.id,
        state: "interrupted",
        note: expect.stringContaining("nothing to end") as string,
      },
    ]);
  }
});

test("an owner that hangs is named, with the way out, and whoever waits still gives up in time", async () => {
  const { detach, retinue } = office();
  const run = await detach("--allowedTools", "Bash");
  process.kill(run.pid, "SIGSTOP");
  expect(await retinue("wait", "--timeout", "1", run.id)).toMatchObject({ code: 124 });
  expect(await retinue("stop", run.id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `does not answer. Try again; if it hangs, end it with 'kill -9 ${run.pid}'`,
    ) as string,
  });
  process.kill(run.pid, "SIGCONT");
  expect(await retinue("stop", run.id)).toMatchObject({ code: 0 });
});

test("closing the terminal leaves it running; a request to end does not", async () => {
  const { detach, json, retinue } = office();
  const run = await detach("--allowedTools", "Bash");
  process.kill(run.pid, "SIGHUP");
  process.kill(run.pid, "SIGHUP");
  expect(await json("ps", "--json")).toMatchObject([{ id: run.id, state: "running" }]);
  process.kill(run.pid, "SIGTERM");
  expect((await retinue("wait", run.id)).code).toBe(143);
});

test("it is a process without a terminal, in a session of its own, and prints its id and what to do next", async () => {
  const { start, retinue, cwd, json } = office("turns: [{ reply: 'You said {{ prompt }}' }]");
  const { child, ended } = start("run", "--bg", "--rehearse", "s.yaml", "Look:", "-");
  child.stdin?.end("x".repeat(200_000));
  const { code, stdout, stderr } = await ended;
  const id = stdout.trim();
  expect(code).toBe(0);
  expect(id).toMatch(/^a[0-9a-f]{16}$/);
  for (const verb of ["attach", "logs -f", "send", "wait", "stop"])
    expect(stderr).toContain(`retinue ${verb} ${id}`);
  expect((await retinue("wait", id)).code).toBe(0);
  expect((await retinue("output", id)).stdout).toMatch(/^You said Look:\s+x{200000}\n$/);

  writeFileSync(
    join(cwd, "s.yaml"),
    "turns: [{ turn: 1, reply: [{ call: Bash, input: { command: 'ps -o sid= -p $PPID > sid' } }] }, { turn: 2, reply: ok }]",
  );
  const run = JSON.parse(
    (
      await retinue(
        "run",
        "-d",
        "--json",
        "--allowedTools",
        "Bash,Edit",
        "--rehearse",
        "s.yaml",
        "x",
      )
    ).stdout,
  ) as Detached;
  await retinue("wait", run.id);
  expect(Number(readFileSync(join(cwd, "sid"), "utf8"))).toBe(run.pid);
  expect(await json("ps", "--json", "-a")).toHaveLength(2);
});

test("what keeps it from starting is printed, with the exit code of a run that stays", async () => {
  const { retinue, config } = office();
  const cases = [
    { args: ["--rehearse", "none.yaml", "x"], code: 2, says: "none.yaml" },
    { args: ["--rehearse", "s.yaml", "-a", "nobody", "x"], code: 3, says: "nobody" },
    { args: ["--rehearse", "s.yaml"], code: 2, says: "There is no task" },
    { args: ["x"], code: 6, says: "No credentials" },
  ];
  for (const { args, code, says } of cases) {
    const ran = await retinue("run", "-d", ...args);
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).toMatch(new RegExp(`^retinue: [\\s\\S]*${says}`));
  }
  expect(readdirSync(join(config, "retinue")).filter((name) => name.endsWith(".log"))).toEqual([]);
});

test("a config directory that is a file is named, with what to set", async () => {
  const { retinue, cwd } = office(untilGo, { CLAUDE_CONFIG_DIR: "s.yaml" });
  expect(await retinue("run", "-d", "--rehearse", "s.yaml", "x")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^retinue: The log s\.yaml\/.* cannot be written \(.*\)\. .*set CLAUDE_CONFIG_DIR to a directory/,
    ) as string,
  });
  expect(readdirSync(cwd)).toEqual(["s.yaml"]);
});

test("what it asks waits for whoever approves it", async () => {
  const { detach, json, retinue, go } = office();
  const run = await detach();
  let asked: { id: string }[] = [];
  await until(() => expect(readFileSync(run.log, "utf8")).toContain("needs you"));
  asked = await json("approvals", "--json");
  expect(asked).toHaveLength(1);
  go();
  expect((await retinue("approve", asked[0]?.id ?? "")).code).toBe(0);
  expect(await retinue("wait", run.id)).toMatchObject({ code: 0 });
});

test("agents that are not there, not running or still running have their exit codes", async () => {
  const { detach, retinue, go } = office();
  const run = await detach("--allowedTools", "Bash");
  expect(await retinue("wait", "--timeout", "1", run.id)).toMatchObject({
    code: 124,
    stdout: `${run.id}  has not ended yet\n`,
  });
  for (const args of [["stop"], ["kill"], ["wait"], ["attach"], ["background"], ["send"]]) {
    const [verb = ""] = args;
    const ran = await retinue(verb, "nobody", ...(verb === "send" ? ["hello"] : []));
    expect(ran).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("There is no agent 'nobody'") as string,
    });
  }
  expect((await retinue("stop")).code).toBe(2);
  expect((await retinue("stop", "--all", run.id)).code).toBe(2);
  const some = await retinue("stop", "nobody", run.id);
  expect(some).toMatchObject({
    code: 3,
    stdout: expect.stringContaining(`${run.id}  stopped`) as string,
  });
  go();
  const late = await retinue("send", run.id, "hello");
  expect(late).toMatchObject({
    code: 1,
    stderr: `retinue: Agent ${run.id} has ended: it is stopped. 'retinue resume ${run.id}' continues it.\n`,
  });
});

test("a detached run that may ask says where its questions are answered; one in dontAsk asks nobody", async () => {
  const { retinue, cwd } = office();
  writeFileSync(join(cwd, "s.yaml"), "turns: [{ reply: hello }]");
  const hints = async (...args: string[]): Promise<string[]> => {
    const run = ["run", "-d", "--rehearse", "s.yaml", ...args, "do it"];
    const { code, stdout, stderr } = await retinue(...run);
    expect([code, (await retinue("wait", stdout.trim())).code]).toEqual([0, 0]);
    return stderr.split("\n").flatMap((line) => /^ {2}retinue (\w+)/.exec(line)?.[1] ?? []);
  };
  expect(await hints()).toEqual(["attach", "logs", "send", "approvals", "wait", "stop"]);
  expect(await hints("--permission-mode", "dontAsk")).not.toContain("approvals");
});
