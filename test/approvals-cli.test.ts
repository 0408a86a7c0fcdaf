import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { bash, report, script, worker } from "./support/answering.ts";
import { shop as emptyShop, type Shop } from "./support/repository.ts";
import { startNode, type Ran } from "./support/started.ts";
import { until } from "./support/until.ts";
import { bin } from "./support/bin.ts";
import { onTerminal } from "./support/terminal.ts";

const job = script({ job: [bash("touch made"), report] });
const write = script({
  job: [{ call: "Write", input: { file_path: "made", content: "" } }, "done"],
});

const shop = (scenario = job, files: Record<string, string> = {}): Shop =>
  emptyShop({ "s.yaml": scenario, ...files });
const command = (...args: string[]): string[] => ["run", "--rehearse", "s.yaml", ...args, "job"];
const made = ({ cwd }: Shop): boolean => existsSync(join(cwd, "made"));

interface Started {
  kill: () => Promise<void>;
  /** The id of the request that it says it waits for. */
  asked: () => Promise<string>;
  ended: Promise<Ran>;
}

/** `retinue run` in a process of its own. */
function start({ cwd, config }: Shop, ...args: string[]): Started {
  const { child, ended, printed } = startNode([bin, ...command(...args)], {
    cwd,
    env: { ...process.env, CLAUDE_CONFIG_DIR: config, NO_COLOR: "1" },
    stdin: "ignore",
  });
  return {
    ended,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    asked: () =>
      until(() => {
        const { stderr } = printed();
        const [, id] = /needs you: (q[0-9a-f]{8}) /.exec(stderr) ?? [];
        if (id === undefined) throw new Error(`Nothing was asked:\n${stderr}`);
        expect(stderr).toContain(`retinue approve ${id}`);
        return id;
      }),
  };
}

test.each([[[]], [["-p"]], [["--quiet"]], [["--output-format", "json"]]])(
  "run %j --inbox says what it waits for, and goes on when another terminal has answered",
  async (options) => {
    const work = shop();
    const run = start(work, "--inbox", ...options);
    const id = await run.asked();
    expect(work.json("approvals", "--json")).toMatchObject([
      { id, tool: "Bash", input: { command: "touch made" }, suggestions: ["Bash(touch made)"] },
    ]);
    expect(work.retinue("approve", id).code).toBe(0);
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(0);
    expect(made(work)).toBe(true);
    expect(stdout).not.toContain("needs you");
    if (options.includes("json")) expect(JSON.parse(stdout)).toMatchObject({ type: "result" });
    expect(stderr.match(/needs you/g)).toHaveLength(1);
  },
);

test("open questions outlive a kill -9: they are listed again, and a new run asks and is answered", async () => {
  const work = shop();
  const killed = start(work, "-p", "--inbox");
  const old = await killed.asked();
  await killed.kill();
  const listed = work.retinue("approvals");
  expect(listed.stdout).toContain(old);
  expect(listed.stdout).toContain("Its process has ended");
  const again = start(work, "-p", "--inbox");
  const fresh = await again.asked();
  const open = work.json("approvals", "--json") as { id: string; state: string }[];
  expect(new Map(open.map(({ id, state }) => [id, state]))).toEqual(
    new Map([
      [old, "interrupted"],
      [fresh, "open"],
    ]),
  );
  expect(work.retinue("approve", old)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the process that asked has ended") as string,
  });
  expect(work.retinue("approve", fresh).code).toBe(0);
  expect((await again.ended).code).toBe(0);
  expect(made(work)).toBe(true);
  // What nobody waits for any more is still there to be read.
  expect(work.retinue("approvals").stdout).toContain(old);
});

test("where nobody can answer it is denied at once, and the line says how to allow it", () => {
  const work = shop();
  const ran = work.retinue(...command("-p"));
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain("denied Bash touch made");
  expect(ran.stderr).toContain(
    "Nobody can be asked. Allow it with --allowedTools 'Bash(touch made)'",
  );
  expect(ran.stdout).toMatch(/^Permission denied/);
  expect(made(work)).toBe(false);
});

test("--ask-timeout: what nobody answers in time is denied", () => {
  const work = shop();
  const ran = work.retinue(...command("-p", "--inbox", "--ask-timeout", "1"));
  expect(ran).toMatchObject({
    code: 0,
    stdout: "Permission denied: The question was not answered in time.\n",
  });
  expect(work.retinue(...command("--ask-timeout", "0")).code).toBe(2);
  expect(made(work)).toBe(false);
});

test.each([
  ["default", false],
  ["manual", false],
  ["acceptEdits", true],
  ["plan", false],
  ["dontAsk", false],
  ["auto", false],
  ["bubble", false],
  ["delegate", false],
])("--permission-mode %s: a file is written unasked: %s", (mode, isMade) => {
  const work = shop(write);
  expect(work.retinue(...command("-p", "--permission-mode", mode)).code).toBe(0);
  expect(made(work)).toBe(isMade);
});

test("without --permission-mode the setting permissions.defaultMode counts, and the option wins over it", () => {
  const settings = JSON.stringify({ permissions: { defaultMode: "acceptEdits" } });
  const work = shop(write);
  work.retinue(...command("-p", "--settings", settings, "--permission-mode", "default"));
  expect(made(work)).toBe(false);
  work.retinue(...command("-p", "--settings", settings));
  expect(made(work)).toBe(true);
  expect(work.retinue(...command("--permission-mode", "yolo"))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Allowed choices are default, acceptEdits") as string,
  });
});

test("skipping permissions is the mode bypassPermissions, and for agent files only if that is allowed", () => {
  vi.stubEnv("IS_SANDBOX", "1");
  onTestFinished(() => void vi.unstubAllEnvs());
  const skipped = shop();
  expect(skipped.retinue(...command("-p", "--dangerously-skip-permissions")).code).toBe(0);
  expect(made(skipped)).toBe(true);
  const both = ["--dangerously-skip-permissions", "--permission-mode", "plan"];
  expect(skipped.retinue(...command(...both)).code).toBe(2);
  const agents = JSON.stringify({ wild: { ...worker, permissionMode: "bypassPermissions" } });
  const wild = shop();
  wild.retinue(...command("-p", "--agents", agents, "-a", "wild"));
  expect(made(wild)).toBe(false);
  const allow = "--allow-dangerously-skip-permissions";
  wild.retinue(...command("-p", "--agents", agents, "-a", "wild", allow));
  expect(made(wild)).toBe(true);
});

test("a plan is shown whole in another terminal; approved there, the run carries it out", async () => {
  const plan = `# Plan\n\n${Array.from({ length: 40 }, (_, at) => `${at + 1}. Step`).join("\n")}`;
  const work = shop(
    script({
      job: [
        { call: "ExitPlanMode", input: { plan } },
        { call: "Write", input: { file_path: "made", content: "" } },
        report,
      ],
    }),
  );
  const run = start(work, "--inbox", "--permission-mode", "plan", "--allowedTools", "Edit");
  const id = await run.asked();
  const shown = work.retinue("approvals", id).stdout;
  expect(shown).toContain("  │ # Plan\n  │ \n  │ 1. Step\n");
  expect(shown).toContain("  │ 40. Step\n");
  expect(shown).toMatch(
    /stored in .*-plan\.md\. If you approve it, the agent continues in mode default/,
  );
  expect(work.retinue("approve", id, "--for", "session").stderr).toContain("approved once");
  expect(made(work)).toBe(false);
  expect(work.retinue("approve", id).code).toBe(0);
  const { code, stderr } = await run.ended;
  expect(code).toBe(0);
  expect(stderr).toMatch(/mode: default \(terminal \(pid \d+\) approved the plan\)/);
  expect(made(work)).toBe(true);
  const [{ id: main }] = work.json("ps", "-a", "--json") as [{ id: string }];
  expect(work.retinue("logs", main).stdout).toContain("the agent continues in mode default");
});

/** `retinue run` on a terminal; the key is pressed until the run has ended. */
async function pressing(key: string, { cwd, config }: Shop, ...args: string[]): Promise<string> {
  const words = [process.execPath, bin, ...command(...args)].join(" ");
  const terminal = onTerminal(`exec ${words}`, { cwd, env: { CLAUDE_CONFIG_DIR: config } });
  await until(() => terminal.hasEnded() || terminal.shown().includes("n deny"));
  await terminal.pressUntil(key);
  return `${terminal.shown()}\nexit ${await terminal.ended}`;
}

test.skipIf(process.platform !== "linux")(
  "a person at the terminal is asked in the live view; with -p nobody is, and it is denied",
  async () => {
    const allowed = shop();
    const output = await pressing("y", allowed);
    expect(output).toContain("NEEDS YOU");
    expect(output).toContain("│ touch made");
    expect(output).toMatch(/exit 0$/);
    expect(made(allowed)).toBe(true);
    const denied = shop();
    expect(await pressing("n", denied)).toContain("A person said no");
    expect(made(denied)).toBe(false);
    const printed = shop();
    const plain = await pressing("y", printed, "-p");
    expect(plain).toContain("Nobody can be asked");
    expect(plain).not.toContain("NEEDS YOU");
    expect(made(printed)).toBe(false);
    const stopped = shop();
    expect(await pressing("\x03", stopped)).toMatch(/exit 130$/);
    expect(stopped.json("approvals", "--json")).toEqual([]);
  },
);
