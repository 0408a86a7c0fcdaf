import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { processStart } from "../../processes/process-start.ts";
import { readProcesses } from "../../processes/process-table.ts";
import {
  addSession,
  alive,
  configDirectory,
  day,
  metaText,
  tree,
  writeOld,
  leaseText,
} from "../../transcript/session-fixture.ts";
import { agentChecks } from "./agent-checks.ts";
import type { DoctorCheck, DoctorContext } from "./check.ts";
import { configurationChecks } from "./configuration-checks.ts";
import { examine, type DoctorRow } from "./examine.ts";
import { installationChecks, nodeVersion } from "./installation-checks.ts";
import { leakChecks } from "./leak-checks.ts";
import { protectionChecks } from "./protection-checks.ts";

function groundOf(root: string, more: Partial<DoctorContext> = {}): DoctorContext {
  return {
    configDir: root,
    cwd: root,
    env: { PATH: process.env["PATH"] },
    temporaryDir: root,
    socketDirs: [root],
    ...more,
  };
}

async function rowsOf(
  checks: readonly DoctorCheck[],
  name: string,
  ground: DoctorContext,
  fix = false,
): Promise<DoctorRow[]> {
  const chosen = checks.filter((check) => check.name === name);
  expect(chosen).toHaveLength(1);
  return Array.fromAsync(examine(ground, { fix, checks: chosen }));
}

/** The pid of a process that has ended. */
function gonePid(): number {
  const { pid } = spawnSync("true");
  expect(processStart(pid)).toBe("");
  return pid;
}

function age(path: string, milliseconds: number): void {
  const then = (Date.now() - milliseconds) / 1000;
  utimesSync(path, then, then);
}

test("temporary directories go when their process is gone and nobody touched them for a day", async () => {
  const root = configDirectory();
  const gone = gonePid();
  const names = {
    left: `retinue-bash-${gone}-AbC123`,
    leftToo: `retinue-tmp-${gone}-aaaaaa`,
    young: `retinue-bash-${gone}-bbbbbb`,
    owned: `retinue-bash-${process.pid}-cccccc`,
    stranger: "retinue-notes-2024-report",
    demo: `retinue-demo-${gone}-dddddd`,
  };
  for (const name of Object.values(names)) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "prelude"), "x");
    age(join(root, name), name === names.young ? day / 2 : 2 * day);
  }
  // A link with such a name leads to what somebody keeps.
  symlinkSync(join(root, names.stranger), join(root, `retinue-tmp-${gone}-eeeeee`));
  const ground = groundOf(root);
  const rows = await rowsOf(leakChecks, "temporary files", ground);
  expect(rows.map(({ status, leak }) => [status, leak])).toEqual([
    ["problem", join(root, names.left)],
    ["problem", join(root, names.leftToo)],
  ]);
  const before = tree(root);
  const fixed = await rowsOf(leakChecks, "temporary files", ground, true);
  expect(fixed.map(({ status }) => status)).toEqual(["fixed", "fixed"]);
  expect(tree(root)).toEqual(
    before.filter((name) => !name.startsWith(names.left) && !name.startsWith(names.leftToo)),
  );
  expect(await rowsOf(leakChecks, "temporary files", ground)).toMatchObject([{ status: "ok" }]);
});

test("a lease goes when its process is gone, never while it is there or may be elsewhere", async () => {
  const config = configDirectory();
  const lease = (session: string, text: string, days: number): string => {
    const path = join(addSession(config, session, { days: 1 }), "lease.json");
    writeOld(path, text, days);
    return path;
  };
  const dead = lease("dead", leaseText({ pid: gonePid(), pidStart: "1" }), 1);
  lease("alive", leaseText(), 1);
  lease("elsewhere", leaseText({ host: "elsewhere", bootId: "elsewhere", pid: gonePid() }), 0);
  const ground = groundOf(config);
  expect(await rowsOf(leakChecks, "leases", ground)).toMatchObject([{ leak: dead }]);
  const before = tree(config);
  await rowsOf(leakChecks, "leases", ground, true);
  expect(tree(config)).toEqual(before.filter((name) => name !== "projects/p/dead/lease.json"));
});

test("a socket goes when nobody listens to it", async () => {
  const root = configDirectory();
  const listening = join(root, "a.sock");
  const left = join(root, "b.sock");
  const server = createServer().listen(listening);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const script = `require("net").createServer().listen(${JSON.stringify(left)}, () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", script]);
  expect(existsSync(left)).toBe(true);
  const ground = groundOf(root);
  expect(await rowsOf(leakChecks, "sockets", ground)).toMatchObject([{ status: "ok" }]);
  for (const path of [listening, left]) age(path, 2 * 60_000);
  writeOld(join(root, "c.sock"), "a file that only has the name", 1);
  expect(await rowsOf(leakChecks, "sockets", ground)).toMatchObject([{ leak: left }]);
  expect(await rowsOf(leakChecks, "sockets", ground, true)).toMatchObject([{ status: "fixed" }]);
  expect([listening, left, join(root, "c.sock")].map((path) => existsSync(path))).toEqual([
    true,
    false,
    true,
  ]);
});

test("a lock goes when its process is gone", async () => {
  const config = configDirectory();
  const locks = join(config, "retinue/locks");
  writeOld(join(locks, "a.lock"), `${gonePid()} 1 x`, 0);
  writeOld(join(locks, "b.lock"), `${alive.pid} ${alive.pidStart} x`, 0);
  const ground = groundOf(config);
  expect(await rowsOf(leakChecks, "locks", ground, true)).toMatchObject([
    { status: "fixed", leak: join(locks, "a.lock") },
  ]);
  expect(tree(locks)).toEqual(["b.lock"]);
});

test("orphans are ended, and only a second look makes them count as fixed", async () => {
  const root = configDirectory();
  const child = spawn("sleep", ["60"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const { pid = 0 } = child;
  const find = async (): Promise<{ pid: number; command: string }[]> =>
    (await readProcesses()).some((one) => one.pid === pid) ? [{ pid, command: "sleep 60" }] : [];
  const stubborn = groundOf(root, { orphans: { find, reap: () => Promise.resolve() } });
  expect(await rowsOf(leakChecks, "orphan processes", stubborn, true)).toMatchObject([
    { status: "problem", remedy: "It could not be removed." },
  ]);
  const reap = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const ground = groundOf(root, { orphans: { find, reap } });
  expect(await rowsOf(leakChecks, "orphan processes", ground)).toMatchObject([
    { status: "problem", what: `${pid} sleep 60`, remedy: "retinue doctor --fix" },
  ]);
  expect(await rowsOf(leakChecks, "orphan processes", ground, true)).toMatchObject([
    { status: "fixed", leak: String(pid) },
  ]);
});

test("a leak that cannot be removed stays a problem and says why", async () => {
  const stuck: DoctorCheck = {
    name: "stuck",
    look: () => Promise.resolve([{ status: "problem", what: "x", leak: "x" }]),
    fix: () => Promise.reject(new Error("EPERM")),
  };
  expect(await rowsOf([stuck], "stuck", groundOf("/"), true)).toEqual([
    {
      check: "stuck",
      status: "problem",
      what: "x",
      leak: "x",
      remedy: "It could not be removed. EPERM",
    },
  ]);
});

test("a check that fails is a problem of its own", async () => {
  const config = configDirectory();
  writeFileSync(join(config, "settings.json"), "{ no json");
  expect(await rowsOf(agentChecks, "old sessions", groundOf(config))).toMatchObject([
    {
      status: "problem",
      what: expect.stringMatching(/^cannot be checked: Old sessions are kept/) as string,
    },
  ]);
});

test("interrupted agents are named with the command that resumes them", async () => {
  const config = configDirectory();
  const file = join(config, "projects/p/s/subagents/agent-a7.meta.json");
  writeOld(file, metaText("s", "a7", { state: "running", name: "scout" }), 1);
  writeOld(file.replace("a7", "a8"), metaText("s", "a8", { state: "running", ...alive }), 1);
  expect(await rowsOf(agentChecks, "interrupted agents", groundOf(config))).toEqual([
    {
      check: "interrupted agents",
      status: "warning",
      what: "a7 (scout) was running when its process ended",
      remedy: "retinue resume a7",
    },
  ]);
});

test("transcripts with lines that cannot be read, or half a line, are listed and stay", async () => {
  const config = configDirectory();
  addSession(config, "s", { days: 1 });
  const before = tree(config);
  const ground = groundOf(config, {
    inspectTranscript: (path) =>
      Promise.resolve({ bad: path.includes("a1") ? [{ line: 3 }, { line: 9 }] : [], torn: 7 }),
  });
  const rows = await rowsOf(agentChecks, "transcripts", ground, true);
  const child = join(config, "projects/p/s/subagents/agent-a1.jsonl");
  expect(rows.map(({ status, what }) => [status, what])).toEqual(
    expect.arrayContaining([
      ["warning", `${child}:3: 2 lines cannot be read`],
      ["warning", `${child} ends in half a line (7 bytes)`],
      ["warning", `${join(config, "projects/p/s.jsonl")} ends in half a line (7 bytes)`],
    ]),
  );
  expect(rows).toHaveLength(3);
  expect(tree(config)).toEqual(before);
});

test("sessions beyond their time are counted, not removed", async () => {
  const config = configDirectory();
  addSession(config, "s", { days: 31 });
  const before = tree(config);
  expect(await rowsOf(agentChecks, "old sessions", groundOf(config), true)).toMatchObject([
    { status: "warning", what: expect.stringMatching(/^1 session /) as string },
  ]);
  expect(tree(config)).toEqual(before);
});

test("the config directory must be a directory that others cannot look into", async () => {
  const config = configDirectory();
  const look = (configDir: string): Promise<DoctorRow[]> =>
    rowsOf(configurationChecks, "config directory", groundOf(config, { configDir }));
  const statuses = async (configDir: string): Promise<string[]> =>
    (await look(configDir)).map(({ status }) => status);
  chmodSync(config, 0o700);
  expect(await statuses(config)).toEqual(["ok"]);
  chmodSync(config, 0o755);
  expect(await statuses(config)).toEqual(["ok", "warning"]);
  chmodSync(join(config, "projects"), 0o700);
  expect(await statuses(config)).toEqual(["ok"]);
  rmSync(join(config, "projects"), { recursive: true });
  expect(await statuses(config)).toEqual(["ok"]);
  expect(await statuses(join(config, "later"))).toEqual(["ok"]);
  writeFileSync(join(config, "file"), "");
  expect(await statuses(join(config, "file"))).toEqual(["problem"]);
});

test("problems of settings are rows with their place", async () => {
  const config = configDirectory();
  writeFileSync(join(config, "settings.json"), '{\n  "cleanupPeriodDays": 0\n}');
  expect(await rowsOf(configurationChecks, "settings", groundOf(config))).toMatchObject([
    {
      status: "problem",
      what: expect.stringContaining(`${join(config, "settings.json")}:2:3: error:`) as string,
    },
  ]);
});

test("programs that cannot be run are missed: bash is needed, git is not", async () => {
  const ground = groundOf(configDirectory());
  const nowhere = { ...ground, env: { PATH: "/nowhere" } };
  const status = async (name: string, where: DoctorContext): Promise<string | undefined> =>
    (await rowsOf(installationChecks, name, where))[0]?.status;
  expect(await status("bash", ground)).toBe("ok");
  expect(await status("bash", nowhere)).toBe("problem");
  expect(await status("git", nowhere)).toBe("warning");
  expect(await status("ripgrep", ground)).toBe("ok");
});

test("the key of a model is looked for and never shown", async () => {
  const ground = groundOf(configDirectory());
  const key = "sk-ant-not-a-real-key-0123456789";
  const found = await rowsOf(installationChecks, "model", {
    ...ground,
    env: { ANTHROPIC_API_KEY: key },
  });
  expect(found).toMatchObject([{ status: "ok", what: "credentials from ANTHROPIC_API_KEY" }]);
  expect(JSON.stringify(found)).not.toContain(key);
  expect(await rowsOf(installationChecks, "model", ground)).toMatchObject([
    {
      status: "warning",
      what: "No credentials for the Anthropic API.",
      remedy: expect.stringMatching(/^Set ANTHROPIC_API_KEY/) as string,
    },
  ]);
});

test("an old Node is a problem", () => {
  expect(nodeVersion("24.1.0")).toEqual({ status: "ok", what: "Node 24.1.0" });
  expect(nodeVersion("22.9.0")).toMatchObject({ status: "problem" });
});

test("protections say whether they are on, and why not", async () => {
  const config = configDirectory();
  const lineOf = async (name: string, more: Partial<DoctorContext>): Promise<string> => {
    const [row] = await rowsOf(protectionChecks, name, groundOf(config, more));
    return `${row?.status}: ${row?.what} | ${row?.remedy ?? ""}`;
  };
  const there = { bubblewrap: () => Promise.resolve({ program: "/usr/bin/bwrap" }) };
  const gone = { bubblewrap: () => Promise.resolve({ missing: "It is gone. Bring it back." }) };
  expect(await lineOf("decisions", {})).toMatch(/^ok: on: every command is parsed/);
  expect(await lineOf("tight sandbox", there)).toMatch(/^ok: on: \/usr\/bin\/bwrap holds/);
  expect(await lineOf("tight sandbox", gone)).toMatch(
    /^warning: off: It is gone\. .* run as you do\. \| Bring it back\.$/,
  );
  expect(await lineOf("sandbox setting", {})).toMatch(/^ok: off: /);
  writeFileSync(
    join(config, "settings.json"),
    '{ "sandbox": { "autoApproved": false, "enabled": true } }',
  );
  expect(await lineOf("tight sandbox", there)).toMatch(
    /^warning: off: sandbox\.autoApproved is false;/,
  );
  // Where it works, and where it does not.
  expect(await lineOf("sandbox setting", {})).toMatch(
    /^(?:ok: on: commands that were approved run in the sandbox|problem: on, but .* \| The sandbox )/,
  );
});
