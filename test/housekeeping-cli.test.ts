import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  addSession,
  alive,
  configDirectory,
  day,
  tree,
  writeOld,
} from "../src/transcript/session-fixture.ts";
import { bubblewrap } from "../src/platform/sandbox/bubblewrap.ts";
import { temporaryDirectory, writeFiles } from "./support/stage.ts";
import { startNode, type Ran } from "./support/started.ts";
import { bin } from "./support/bin.ts";

interface Shop {
  cwd: string;
  config: string;
  temporary: string;
  run: (...args: string[]) => Promise<Ran>;
}

function shop(): Shop {
  const cwd = temporaryDirectory();
  const config = configDirectory();
  const temporary = temporaryDirectory();
  writeFileSync(join(cwd, "s.yaml"), "turns: [{ reply: hello, repeat: true }]");
  const { XDG_RUNTIME_DIR: _, ...environment } = process.env;
  const env = {
    ...environment,
    ...{ NO_COLOR: "1", CLAUDE_CONFIG_DIR: config, TMPDIR: temporary },
    ...{ ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "" },
  };
  return {
    cwd,
    config,
    temporary,
    run: (...args) => startNode([bin, ...args], { cwd, env, stdin: "ignore" }).ended,
  };
}

const sessions = ({ config }: Shop): string[] =>
  tree(join(config, "projects")).filter((name) => name.endsWith(".jsonl"));

test("rm deletes ended agents by id, prefix or name, and the session with the last of them", async () => {
  const place = shop();
  await place.run("run", "-p", "--rehearse", "s.yaml", "hi");
  const listed = await place.run("ps", "-a", "--json");
  const id = (JSON.parse(listed.stdout) as { id: string }[])[0]?.id ?? "";
  expect(sessions(place)).toHaveLength(1);
  expect(await place.run("rm", id.slice(0, 8))).toEqual({ code: 0, stdout: `${id}\n`, stderr: "" });
  const [project = "", ...rest] = tree(join(place.config, "projects"));
  expect([project.includes("/"), rest]).toEqual([false, []]);
  expect(await place.run("rm", id)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("There is no agent") as string,
  });
});

test("rm removes what it can and says what it cannot", async () => {
  const place = shop();
  addSession(place.config, "busy", { days: 1, main: { state: "idle", name: "stands", ...alive } });
  addSession(place.config, "ended", { days: 1, main: { name: "old" } });
  const { code, stdout } = await place.run("rm", "stands", "old", "nobody", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual([
    { asked: "stands", error: expect.stringMatching(/is idle in process \d+\. Stop it first/) },
    { asked: "old", id: "main-ended" },
    { asked: "nobody", error: expect.stringContaining("There is no agent 'nobody'") },
  ]);
  expect(existsSync(join(place.config, "projects/p/busy.jsonl"))).toBe(true);
  expect(tree(join(place.config, "projects/p/ended"))).toEqual([
    ...["audit.jsonl", "inbox", "inbox/q1.json", "subagents", "subagents/agent-a1.jsonl"],
    ...["subagents/agent-a1.meta.json", "tool-results", "tool-results/a1.txt"],
  ]);
});

test("prune asks the settings, or takes --days; a dry run changes nothing", async () => {
  const place = shop();
  writeFiles(place.config, { "settings.json": '{ "cleanupPeriodDays": 10 }' });
  addSession(place.config, "s20", { days: 20 });
  addSession(place.config, "s5", { days: 5 });
  const before = tree(place.config);
  const dry = await place.run("prune", "--dry-run");
  expect(dry.stdout).toMatch(/^SESSION .*\ns20 /);
  expect(dry.stderr).toMatch(/^1 session, .*: nothing is removed in a dry run\.\n$/);
  expect(tree(place.config).filter((name) => !name.startsWith("retinue"))).toEqual(before);
  expect(JSON.parse((await place.run("prune", "--json")).stdout)).toMatchObject({
    dryRun: false,
    removed: [{ sessionId: "s20", agents: 2 }],
    failed: [],
  });
  expect(sessions(place)).toEqual([
    "p/s5.jsonl",
    "p/s5/audit.jsonl",
    "p/s5/subagents/agent-a1.jsonl",
  ]);
  expect((await place.run("prune", "--days", "3")).code).toBe(0);
  expect(sessions(place)).toEqual([]);
  expect((await place.run("prune")).stderr).toBe("No session is old enough.\n");
  expect((await place.run("prune", "--days", "0")).code).toBe(2);
});

test("prune --json tells when a session was last used in whole milliseconds", async () => {
  const place = shop();
  const directory = addSession(place.config, "s", { days: 4000 });
  utimesSync(join(directory, "audit.jsonl"), 1_700_000_000.0025, 1_700_000_000.0025);
  const { stdout } = await place.run("prune", "--days", "30", "--json");
  const { removed } = JSON.parse(stdout) as { removed: { lastUsed: number }[] };
  expect(removed.map(({ lastUsed }) => Number.isInteger(lastUsed))).toEqual([true]);
});

test("prune removes nothing while a settings file cannot be read, unless it is told how long", async () => {
  const place = shop();
  addSession(place.config, "s", { days: 400 });
  for (const [directory, file] of [
    [place.config, "settings.json"],
    [place.cwd, ".claude/settings.local.json"],
  ] as const) {
    writeFiles(directory, { [file]: '{ "cleanupPeriodDays": 900' });
    const refused = await place.run("prune");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(join(directory, file));
    expect(refused.stderr.split("Correct it")).toHaveLength(2);
    expect(refused.stderr).toContain("retinue prune --days N");
    expect(sessions(place)).toHaveLength(3);
    writeFiles(directory, { [file]: "{}" });
  }
  writeFiles(place.config, { "settings.json": "[" });
  expect((await place.run("prune", "--days", "30")).code).toBe(0);
  expect(sessions(place)).toEqual([]);
});

test("doctor is content with a new installation, and needs no key for that", async () => {
  const place = shop();
  const { code, stdout, stderr } = await place.run("doctor");
  // The key, and bubblewrap where it does not work.
  const warnings = "missing" in (await bubblewrap()) ? "2 warnings" : "1 warning";
  expect(stderr).toBe(`retinue: 0 problems, ${warnings}.\n`);
  expect(code).toBe(0);
  const names = stdout.split("\n").flatMap((line) => /^[✓!✗] (.*?) {2}/.exec(line)?.[1] ?? []);
  expect(names).toEqual([
    ...["node", "bash", "git", "ripgrep", "model", "config directory", "settings"],
    ...["decisions", "tight sandbox", "sandbox setting"],
    ...[
      "interrupted agents",
      "transcripts",
      "old sessions",
      "orphan processes",
      "leases",
      "sockets",
      "locks",
      "temporary files",
    ],
  ]);
});

test("doctor --fix removes what a crash left, and no transcript", async () => {
  const place = shop();
  const { pid } = spawnSync("true");
  addSession(place.config, "s", { days: 90, main: { state: "running" } });
  const lease = { pid, pidStart: "1", beatAt: 1 };
  writeOld(join(place.config, "projects/p/s/lease.json"), JSON.stringify(lease), 90);
  writeOld(join(place.config, "retinue/locks/a.lock"), `${pid} 1 x`, 1);
  const left = join(place.temporary, `retinue-bash-${pid}-abcdef`);
  mkdirSync(left);
  const then = (Date.now() - 2 * day) / 1000;
  utimesSync(left, then, then);
  const before = tree(join(place.config, "projects"));

  const found = await place.run("doctor", "--json");
  expect(found.code).toBe(1);
  const bad = (out: string, status: string): string[] =>
    (JSON.parse(out) as { check: string; status: string }[]).flatMap((row) =>
      row.status === status ? [row.check] : [],
    );
  const leaks = ["leases", "locks", "temporary files"];
  expect(bad(found.stdout, "problem")).toEqual(leaks);
  expect(bad(found.stdout, "warning")).toEqual(["model", "interrupted agents", "old sessions"]);
  expect(tree(join(place.config, "projects"))).toEqual(before);

  const fixed = await place.run("doctor", "--fix", "--json");
  expect([fixed.code, bad(fixed.stdout, "fixed")]).toEqual([0, leaks]);
  expect(existsSync(left)).toBe(false);
  expect(tree(join(place.config, "projects"))).toEqual(
    before.filter((name) => name !== "p/s/lease.json"),
  );
  const again = await place.run("doctor");
  expect([again.code, again.stderr]).toEqual([0, "retinue: 0 problems, 3 warnings.\n"]);
});
