import { spawn } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { defaultGraceMs } from "../src/processes/process-tree.ts";
import { temporaryDirectory, writeFiles } from "./support/stage.ts";
import { commandShop } from "./support/command-shop.ts";
import { bin } from "./support/bin.ts";

test("run prints the result on stdout and its progress, labelled as scripted, on stderr", async () => {
  const { run } = commandShop();
  expect(await run(["run", "--rehearse", "s.yaml", "hi"])).toMatchObject({
    code: 0,
    stdout: "hello\n",
    stderr: expect.stringMatching(
      /^retinue: replies are scripted by s\.yaml; tools are real\.\nmain {2}started · main · hi · scripted sonnet-5-5\n[\s\S]*main {2}completed/,
    ) as string,
  });
  expect(await run(["-p", "hi", "--rehearse", "s.yaml"])).toEqual({
    code: 0,
    stdout: "hello\n",
    stderr: "retinue: replies are scripted by s.yaml; tools are real.\n",
  });
});

test("the prompt comes from stdin when it is '-' or absent", async () => {
  const { run } = commandShop('turns: [{ reply: "You said {{ prompt }}" }]');
  for (const args of [["-"], []]) {
    expect(
      await run(["run", "-p", "--rehearse", "s.yaml", ...args], { input: "piped words\n" }),
    ).toMatchObject({
      code: 0,
      stdout: "You said piped words\n",
    });
  }
});

test("json is one document, stream-json one frame a line, first init and last result", async () => {
  const { run } = commandShop(
    "turns: [{ turn: 1, reply: [{ call: Agent, input: { description: d, prompt: p, subagent_type: Explore } }], agent: main }, { reply: done, repeat: true }]",
  );
  const one = await run([
    "run",
    "hi",
    "--rehearse",
    "s.yaml",
    "--output-format",
    "json",
    "--allowedTools",
    "Agent",
  ]);
  expect(JSON.parse(one.stdout)).toMatchObject({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "done",
    num_turns: 2,
    total_cost_usd: null,
  });
  expect(one.stderr).toBe("retinue: replies are scripted by s.yaml; tools are real.\n");
  const many = await run([
    "run",
    "hi",
    "--rehearse",
    "s.yaml",
    "--output-format",
    "stream-json",
    "--allowedTools",
    "Agent",
  ]);
  const frames = many.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(
    frames.map((frame) => [frame["type"], frame["subtype"]].filter(Boolean).join("/")),
  ).toEqual([
    "system/init",
    "assistant",
    "system/task_started",
    "user",
    "assistant",
    "system/task_notification",
    "user",
    "assistant",
    "result/success",
  ]);
  expect(frames[0]).toMatchObject({
    agents: expect.arrayContaining(["Explore", "claude-code-guide"]) as string[],
    tools: expect.arrayContaining(["Agent"]) as string[],
  });
});

test("an agent type is chosen with -a, and given as JSON with --agents", async () => {
  const { run } = commandShop('turns: [{ agent: parrot, reply: "{{ system | line 1 }}" }]');
  const agents = JSON.stringify({ parrot: { description: "d", prompt: "I repeat." } });
  expect(
    await run(["run", "-p", "-a", "parrot", "--agents", agents, "--rehearse", "s.yaml", "hi"]),
  ).toMatchObject({
    code: 0,
    stdout: "I repeat.\n",
  });
});

test("what is not allowed is denied visibly, and --allowedTools allows it", async () => {
  const scenario =
    'turns: [{ turn: 1, reply: [{ call: Bash, input: { command: "echo made > made" } }] }, { turn: 2, reply: ok }]';
  const { run, cwd } = commandShop(scenario);
  const denied = await run(["run", "--rehearse", "s.yaml", "x"]);
  expect(denied.code).toBe(0);
  expect(denied.stderr).toMatch(
    /denied Bash echo made > made · .* Nobody can be asked\. Allow it with --allowedTools 'Edit\(.*\/made\)', all of it with --allowedTools Bash\./,
  );
  expect(readdirSync(cwd)).not.toContain("made");
  await run(["run", "--rehearse", "s.yaml", "--allowedTools", "Bash,Edit", "x"]);
  expect(readdirSync(cwd)).toContain("made");
});

test("a broken expectation of the scenario fails the command", async () => {
  const { run } = commandShop("turns: [{ reply: hello }]\nexpect: [{ agent: Explore, count: 1 }]");
  const ran = await run(["run", "-p", "--rehearse", "s.yaml", "x"]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("s.yaml:2: Expected 1 agents of Explore");
});

test("exit codes tell a turn limit and a failed agent apart", async () => {
  const { run } = commandShop(
    "turns: [{ reply: [{ call: Glob, input: { pattern: '*' } }], repeat: true }]",
  );
  expect(await run(["run", "-p", "--max-turns", "2", "--rehearse", "s.yaml", "x"])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("max_turns") as string,
  });
  const silent = commandShop('turns: [{ reply: "" }]');
  expect(await silent.run(["run", "-p", "--rehearse", "s.yaml", "x"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("empty_result") as string,
  });
});

test("ps, logs and output read what any run left behind", async () => {
  const { run, cwd } = commandShop(
    'turns: [{ turn: 1, agent: main, reply: [{ call: Agent, input: { description: look, prompt: p, subagent_type: Explore } }] }, { agent: main, reply: all done }, { agent: Explore, turn: 1, reply: [{ call: Read, input: { file_path: s.yaml } }] }, { agent: Explore, reply: "seen \\e]0;evil\\a it" }]',
  );
  expect((await run(["ps"])).stderr).toContain("No agent is running");
  await run(["run", "-p", "--allowedTools", "Agent", "--rehearse", "s.yaml", "go"]);
  const rows = JSON.parse((await run(["ps", "-a", "--json"])).stdout) as {
    id: string;
    type: string;
    state: string;
    cwd: string;
    depth: number;
  }[];
  expect(rows.map(({ type, state, depth }) => [type, state, depth])).toEqual([
    ["main", "completed", 0],
    ["Explore", "completed", 1],
  ]);
  expect(rows[0]?.cwd).toBe(cwd);
  const [main, child] = rows.map(({ id }) => id);
  expect((await run(["ps", "-aq"])).stdout).toBe(`${main}\n${child}\n`);
  expect((await run(["ps", "-a"])).stdout).toMatch(
    /ID +NAME +TYPE +STATE +MODEL[\s\S]*Explore +completed +scripted haiku-5-5/,
  );
  expect(JSON.parse((await run(["ps", "--json"])).stdout)).toEqual([]);
  expect((await run(["output", main?.slice(0, 8) ?? ""])).stdout).toBe("all done\n");
  const logs = await run(["logs", child ?? ""]);
  expect(logs.stdout).toMatch(/prompt p\n.*▸ Read s\.yaml\n[\s\S]*seen {1,2}it/);
  expect(logs.stdout).not.toContain("\u001b");
  expect((await run(["logs", "-n", "1", child ?? ""])).stdout.trim().split("\n")).toEqual([
    expect.stringMatching(/seen {1,2}it$/) as string,
    "completed",
  ]);
  expect(JSON.parse((await run(["logs", "--json", "-n", "1", child ?? ""])).stdout)).toMatchObject({
    type: "retinue-end",
    result: { state: "completed" },
  });
});

test("agents ls shows every type, who defined it, and what is wrong with files", async () => {
  const { run, cwd } = commandShop();
  writeFiles(cwd, {
    ".claude/agents/mine.md": "---\nname: mine\ndescription: My own\nmodel: opus\n---\nHi",
    ".claude/agents/bad.md": "---\nname: bad\n---\nHi",
  });
  mkdirSync(join(cwd, ".git"));
  const ran = await run(["agents", "ls"]);
  expect(ran.stdout).toMatch(/mine +project +opus +My own/);
  expect(ran.stdout).toMatch(/Explore +built-in +haiku/);
  expect(ran.stdout).not.toMatch(/worker/);
  expect(ran.stderr).toMatch(/bad\.md:1:1: error: 'description' must be/);
  const rows = JSON.parse((await run(["agents", "ls", "--json"])).stdout) as { name: string }[];
  expect(rows.map(({ name }) => name)).toContain("mine");
});

test("words and a last '-' join the task and what is piped in", async () => {
  const { run } = commandShop('turns: [{ reply: "{{ prompt }}" }]');
  expect(
    await run(["run", "-p", "--rehearse", "s.yaml", "review", "this:", "-"], { input: "a diff\n" }),
  ).toMatchObject({
    stdout: "review this:\n\na diff\n",
  });
});

test("with -p a denial is still said, with --quiet nothing is", async () => {
  const { run } = commandShop(
    "turns: [{ turn: 1, reply: [{ call: Bash, input: { command: touch made } }] }, { turn: 2, reply: ok }]",
  );
  expect((await run(["run", "-p", "--rehearse", "s.yaml", "x"])).stderr).toContain(
    "denied Bash touch made · 'touch made' needs approval",
  );
  expect(await run(["run", "-q", "--rehearse", "s.yaml", "x"])).toEqual({
    code: 0,
    stdout: "ok\n",
    stderr: "",
  });
});

test("a run that takes too long ends with the code for that", async () => {
  const { run } = commandShop(
    "turns: [{ reply: [{ call: Bash, input: { command: sleep 300 } }] }]",
  );
  expect(
    await run([
      "run",
      "-p",
      "--timeout",
      "1",
      "--allowedTools",
      "Bash",
      "--rehearse",
      "s.yaml",
      "x",
    ]),
  ).toMatchObject({ code: 124 });
});

test("--permission-mode: plan changes nothing, bypassPermissions allows all but is refused for root outside a sandbox", async () => {
  const { run, cwd } = commandShop(
    'turns: [{ turn: 1, reply: [{ call: Bash, input: { command: "touch made" } }] }, { turn: 2, reply: ok }]',
  );
  const mode = (name: string): string[] => [
    "run",
    "-p",
    "--permission-mode",
    name,
    "--allowedTools",
    "Bash",
    "--rehearse",
    "s.yaml",
    "x",
  ];
  expect((await run(mode("plan"))).stderr).toContain("this agent only plans");
  expect(readdirSync(cwd)).not.toContain("made");
  const asRoot = await run(mode("bypassPermissions"), { env: { IS_SANDBOX: "" } });
  expect(asRoot.code).toBe(process.getuid?.() === 0 ? 2 : 0);
  if (process.getuid?.() === 0)
    expect(asRoot.stderr).toContain("refused for root outside a sandbox");
  const bypass = mode("bypassPermissions").filter(
    (word) => word !== "--allowedTools" && word !== "Bash",
  );
  expect(await run(bypass, { env: { IS_SANDBOX: "1" } })).toMatchObject({
    code: 0,
    stdout: "ok\n",
  });
  expect(readdirSync(cwd)).toContain("made");
});

test("without the programs of the sandbox a run that may go on without it says so on stderr", async () => {
  const { run, config } = commandShop();
  const sandbox = { enabled: true, failIfUnavailable: false };
  writeFiles(config, { "settings.json": JSON.stringify({ sandbox }) });
  for (const options of [[], ["-p"], ["--output-format", "json"]]) {
    const args = ["run", ...options, "--rehearse", "s.yaml", "hi"];
    const { code, stderr } = await run(args, { env: { PATH: "/nowhere" } });
    expect(code).toBe(0);
    expect(stderr.match(/^retinue: warning: .*$/gm)).toEqual([
      expect.stringMatching(
        /^retinue: warning: Bash runs WITHOUT a sandbox, because sandbox\.failIfUnavailable is false\. The sandbox .* or set sandbox\.enabled to false\.$/,
      ),
    ]);
  }
});

test("every command explains itself", async () => {
  const { run } = commandShop();
  for (const args of [
    [],
    ["run"],
    ["init"],
    ["demo"],
    ["ps"],
    ["logs"],
    ["output"],
    ["agents"],
    ["agents", "ls"],
    ["trust"],
    ["background"],
    ["attach"],
    ["send"],
    ["stop"],
    ["kill"],
    ["wait"],
    ["resume"],
    ["rm"],
    ["prune"],
    ["doctor"],
  ]) {
    const ran = await run([...args, "--help"]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^Usage: retinue/);
    expect(ran.stdout).not.toContain("(default: [])");
  }
  expect((await run(["stop", "--help"])).stdout).toContain(`(default ${defaultGraceMs / 1000})`);
  expect((await run([])).stdout).toMatch(/^Usage: retinue/);
  expect((await run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("a Node that is too old is told so in one line", async () => {
  const cwd = temporaryDirectory();
  const old =
    'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.11.0" })';
  const child = spawn(process.execPath, ["--import", old, bin, "demo"], { cwd });
  const stderr = await text(child.stderr);
  expect(stderr).toBe(
    "retinue: Node 20.11.0 is too old. Install Node 24 or newer, from https://nodejs.org.\n",
  );
});

test("output prints all of a result that came in pieces", async () => {
  const { run } = commandShop(
    'turns: [{ turn: 1, stop: max_tokens, reply: "one" }, { turn: 2, reply: " and two" }]',
  );
  await run(["run", "-p", "--name", "piecewise", "--rehearse", "s.yaml", "x"]);
  expect((await run(["output", "piecewise"])).stdout).toBe("one and two\n");
});
