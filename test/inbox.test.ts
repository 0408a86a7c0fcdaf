import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { call, question } from "../src/inbox/inbox-fixture.ts";
import type { AskInput } from "../src/inbox/inbox-options.ts";
import { bash, report, setDesk } from "./support/answering.ts";
import { shop, type Shop } from "./support/repository.ts";
import { bin } from "./support/bin.ts";
import { startNode } from "./support/started.ts";
import { onTerminal } from "./support/terminal.ts";

const script = fileURLToPath(new URL("support/asking.ts", import.meta.url));
const outside = fileURLToPath(new URL("support/answering-outside.ts", import.meta.url));
const prompting = fileURLToPath(new URL("support/prompting.ts", import.meta.url));

interface Asker {
  child: ChildProcess;
  /** The next line that it prints. */
  next: () => Promise<Record<string, unknown>>;
  ids: string[];
}

/** A process that asks, when all its questions are open. */
async function asking({ cwd, config }: Shop, asks: readonly AskInput[]): Promise<Asker> {
  const child = spawn(process.execPath, [script, JSON.stringify(asks)], {
    cwd,
    env: { ...process.env, CLAUDE_CONFIG_DIR: config },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown>> => {
    const line = await lines.next();
    if (line.done === true) throw new Error("The asking process has ended.");
    return JSON.parse(line.value) as Record<string, unknown>;
  };
  const ids: string[] = [];
  while (ids.length < asks.length) ids.push(String((await next())["id"]));
  return { child, next, ids };
}

test("another terminal lists, approves and denies what a running process asks, and it goes on", async () => {
  const work = shop();
  const asks = [call({ agentId: "a1" }), call({ agentId: "a2", input: { command: "make b" } })];
  const { child, next, ids } = await asking(work, asks);
  const ended = once(child, "exit");
  const listed = work.json("approvals", "--json") as { id: string; agentId: string }[];
  expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  const idOf = (agent: string): string => listed.find(({ agentId }) => agentId === agent)?.id ?? "";
  expect(work.retinue("approve", idOf("a1"), "--for", "agent")).toEqual({
    code: 0,
    stdout: `${idOf("a1")} allowed (agent) by Bash(make all): main ▸ worker  Bash make all\n`,
    stderr: "",
  });
  expect(await next()).toMatchObject({ event: "settled" });
  expect(await next()).toMatchObject({
    agentId: "a1",
    by: expect.stringMatching(/^terminal \(pid \d+\)$/) as string,
    answer: { verdict: "allow", scope: "agent", rules: ["Bash(make all)"] },
  });
  expect(work.retinue("deny", idOf("a2"), "--reason", "use npm").code).toBe(0);
  expect(await next()).toMatchObject({ event: "settled" });
  expect(await next()).toMatchObject({
    agentId: "a2",
    answer: { verdict: "deny", message: "use npm" },
  });
  // Nothing keeps it alive any longer.
  expect(await ended).toEqual([0, null]);
  const again = work.retinue("approve", idOf("a1"));
  expect([again.code, again.stderr]).toEqual([
    3,
    expect.stringContaining("already answered by terminal"),
  ]);
  expect(work.json("approvals", "--json")).toEqual([]);
  expect(work.json("approvals", "--all", "--json")).toMatchObject([
    { state: "answered", scope: "agent" },
    { state: "denied", message: "use npm" },
  ]);
});

test("open questions are on disk and are listed again after a kill -9, and answering says that nobody waits", async () => {
  const work = shop();
  const { child, ids } = await asking(work, [call(), call({ agentId: "a2" })]);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  const listed = work.retinue("approvals");
  for (const id of ids) expect(listed.stdout).toContain(id);
  expect(listed.stdout.match(/Its process has ended/g)).toHaveLength(2);
  const answered = work.retinue("approve", ids[0] ?? "");
  expect(answered).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("the process that asked has ended") as string,
  });
  expect(work.json("approvals", "--json")).toMatchObject([
    { state: "interrupted" },
    { state: "interrupted" },
  ]);
  // A new process beside it asks and is answered as ever.
  const other = await asking(work, [call()]);
  expect(work.retinue("approve", other.ids[0] ?? "").code).toBe(0);
});

test("'always' is written by the process that asked, and what it cannot write is said to whoever answered", async () => {
  const work = shop();
  const { next, ids } = await asking(work, [call()]);
  const id = ids[0] ?? "";
  const refused = work.retinue("approve", id, "--always");
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("this folder is not trusted"),
  ]);
  work.retinue("trust");
  const done = work.retinue("approve", id.slice(0, 5), "--always", "--rule", "Bash(make *)");
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(await next()).toMatchObject({ event: "settled", id });
  const file = join(work.cwd, ".claude", "settings.local.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    permissions: { allow: ["Bash(make *)"] },
  });
});

test("two terminals that answer at once: one holds, the other is told", async () => {
  const work = shop();
  const { next, ids } = await asking(work, [call()]);
  const answer = async (...args: string[]): Promise<number | null> => {
    const env = { ...process.env, CLAUDE_CONFIG_DIR: work.config };
    const { ended } = startNode([bin, ...args], { cwd: work.cwd, env, stdin: "ignore" });
    return (await ended).code;
  };
  const codes = await Promise.all([answer("approve", ids[0] ?? ""), answer("deny", ids[0] ?? "")]);
  expect(codes.toSorted()).toEqual([0, 3]);
  expect(await next()).toMatchObject({ event: "settled" });
  expect(await next()).toMatchObject({ answer: { verdict: codes[0] === 0 ? "allow" : "deny" } });
});

test("a question is answered with a label, its number or other words", async () => {
  const work = shop();
  const options = ["Postgres", "SQLite"].map((label) => ({ label, description: "" }));
  const questions = [
    { question: "Which database?", header: "Database", options, multiSelect: false },
    { question: "Which others?", header: "Others", options, multiSelect: true },
  ];
  const { next, ids } = await asking(work, [call({ ...question, input: { questions } })]);
  const id = ids[0] ?? "";
  const few = work.retinue("approve", id, "--answer", "1");
  expect([few.code, few.stderr]).toEqual([2, expect.stringContaining("one --answer for each")]);
  expect(work.retinue("approve", id).stderr).toContain("it is a question");
  expect(work.retinue("approve", id, "--answer", "2", "--answer", "postgres, mine").code).toBe(0);
  await next();
  expect(await next()).toMatchObject({
    answer: {
      verdict: "reply",
      answers: { "Which database?": "SQLite", "Which others?": ["Postgres", "mine"] },
    },
  });
});

test("all of a request is shown, with nothing hidden and nothing that a terminal would act on", async () => {
  const work = shop();
  const command = `echo ${"x".repeat(500)} \x1b[2K\r; rm -rf ~\necho done`;
  const { ids } = await asking(work, [
    call({
      input: { command, timeout: 5 },
      reason: "\x1b]0;evil\x07why",
      part: "rm -rf ~",
      suggestions: ["Bash(make all)", "Bash(make test)"],
    }),
  ]);
  const list = work.retinue("approvals");
  const detail = work.retinue("approvals", ids[0] ?? "");
  for (const text of [list.stdout, detail.stdout])
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  expect(detail.stdout).toContain(`echo ${"x".repeat(500)} \\x1b[2K\\r; rm -rf ~\n  │ echo done`);
  expect(detail.stdout).toContain('"timeout": 5');
  expect(detail.stdout).toContain("because of  rm -rf ~");
  expect(detail.stdout).toContain("Bash(make all)\n  Bash(make test)");
});

test("an edited input goes to the asker; what is no JSON object is refused", async () => {
  const work = shop();
  const { next, ids } = await asking(work, [call()]);
  expect(work.retinue("approve", ids[0] ?? "", "--input", "[]").code).toBe(2);
  const edited = { command: "make one" };
  work.retinue("approve", ids[0] ?? "", "--input", JSON.stringify(edited));
  await next();
  expect(await next()).toMatchObject({ answer: { scope: "once", input: edited } });
});

test("unknown and ambiguous ids, impossible options and commands of agents are refused with the remedy", async () => {
  const work = shop();
  await asking(work, [call(), call()]);
  expect(work.retinue("approve", "zz")).toMatchObject({
    code: 3,
    stderr: "retinue: There is no open request 'zz'. 'retinue approvals' lists them.\n",
  });
  const two = work.retinue("deny", "q");
  expect([two.code, two.stderr]).toEqual([2, expect.stringContaining("'q' means 2 requests")]);
  expect(work.retinue("approve", "q", "--always", "--for", "agent").code).toBe(2);
  expect(work.retinue("approve", "q", "--always", "everywhere").code).toBe(2);
  process.env["RETINUE_AGENT"] = "a1";
  onTestFinished(() => void delete process.env["RETINUE_AGENT"]);
  const inside = shop().retinue("approve", "q");
  expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining("only a person")]);
});

test("a command of an agent that drops its mark is known by the processes above it", async () => {
  const work = shop();
  const { ids } = await asking(work, [call()]);
  const approve = (words: string): string => {
    const ran = spawnSync("bash", ["-c", `${words} approve ${ids[0]}; true`], {
      env: { ...process.env, CLAUDE_CONFIG_DIR: work.config, RETINUE_AGENT: "a1" },
      encoding: "utf8",
    });
    return ran.stdout + ran.stderr;
  };
  const retinue = `'${process.execPath}' '${bin}'`;
  expect(approve(`env -u RETINUE_AGENT ${retinue}`)).toContain("only a person");
  expect(approve(`bash -c "unset RETINUE_AGENT; setsid -w ${retinue} \\$*" -`)).toContain(
    "only a person",
  );
  expect(work.json("approvals", "--json")).toMatchObject([{ id: ids[0] }]);
  expect(work.retinue("approve", ids[0] ?? "").code).toBe(0);
});

test("a command of an agent that gives an answer past the command line is refused by who asked, and that is in the log", async () => {
  const work = shop();
  const { ids } = await asking(work, [call()]);
  const answer = (words: string, env: Record<string, string>): string => {
    const program = `${words} '${process.execPath}' '${outside}' '${work.config}' ${ids[0]}; true`;
    const options = { env: { ...process.env, ...env }, encoding: "utf8" } as const;
    return spawnSync("bash", ["-c", program], options).stdout;
  };
  const marked = { RETINUE_AGENT: "a7" };
  for (const words of ["", "env -i", "env -i setsid -w"])
    expect(answer(words, marked), words).toContain("only a person can answer");
  const [log = ""] = globSync("projects/*/*/audit.jsonl", { cwd: work.config });
  const facts = readFileSync(join(work.config, log), "utf8").trim().split("\n");
  const refused = facts.map((line) => JSON.parse(line) as object).slice(1);
  expect(refused).toMatchObject(
    [1, 2, 3].map(() => ({ fact: "refused", method: "answer", agents: ["a7"] })),
  );
  expect(work.json("approvals", "--json")).toMatchObject([{ id: ids[0] }]);
  expect(answer("", {})).toBe("taken");
});

test("what the asking process itself has started is no person", async () => {
  const desk = setDesk({ job: [bash("touch made"), report] });
  await desk.work("job");
  const [request] = await desk.open(1);
  const { stderr } = spawnSync(process.execPath, [bin, "deny", request?.id ?? ""], {
    env: { ...process.env, CLAUDE_CONFIG_DIR: desk.configDir },
    encoding: "utf8",
  });
  expect(stderr).toContain("only a person");
  expect(await desk.open(1)).toEqual([request]);
});

test("whoever answers learns what came of it also where the log cannot be written", async () => {
  const work = shop();
  const { ids } = await asking(work, [call()]);
  const [log = ""] = globSync("projects/*/*/audit.jsonl", { cwd: work.config });
  rmSync(join(work.config, log));
  mkdirSync(join(work.config, log));
  expect(work.retinue("approve", ids[0] ?? "")).toMatchObject({ code: 0, stderr: "" });
});

test.each(["approvals", "approve"])("the help of %s says where it looks", (command) => {
  expect(shop().retinue(command, "--help").stdout).toContain("CLAUDE_CONFIG_DIR");
});

/** A live view on a terminal of its own; the key is pressed until something comes of it. */
async function pressing(key: string, ask: AskInput): Promise<{ output: string; code: number }> {
  const terminal = onTerminal(`exec ${process.execPath} ${prompting}`, {
    env: { ASK: JSON.stringify(ask) },
  });
  // Typed before anything is asked: it must not count as an answer.
  terminal.type("y\ny");
  await terminal.sees("y once");
  await terminal.pressUntil(key);
  return { output: terminal.shown(), code: await terminal.ended };
}

test.skipIf(process.platform !== "linux")(
  "a person at the terminal answers with one key, gets the terminal back, and Ctrl+C still stops",
  async () => {
    const answered = await pressing("s", call());
    expect(answered.code).toBe(0);
    expect(answered.output).toContain('"scope":"session","rules":["Bash(make all)"]');
    expect(answered.output).toContain("raw=false");
    expect((await pressing("\x03", call())).code).toBe(130);
  },
);
