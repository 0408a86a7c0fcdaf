import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processStart } from "../processes/process-start.ts";
import { holdDirectory } from "../platform/files/hold-directory.ts";
import { findAgents } from "./agent-on-disk.ts";
import { prune, removeSession, type Pruned } from "./retention.ts";
import {
  addSession,
  alive,
  configDirectory,
  day,
  leaseText,
  metaText,
  tree,
  writeOld,
} from "./session-fixture.ts";

function pruneOlderThan(configDir: string, days: number, dryRun = false): Promise<Pruned> {
  const before = Date.now() - days * day;
  return prune({ configDir, before: () => before, dryRun, signal: new AbortController().signal });
}

const names = (sessions: Pruned["removed"]): string[] => sessions.map(({ sessionId }) => sessionId);

test("an old session goes whole, and a younger one stays as it is", async () => {
  const config = configDirectory();
  addSession(config, "old", { days: 31 });
  addSession(config, "young", { days: 29 });
  const before = tree(config).filter((name) => name.includes("young"));
  const pruned = await pruneOlderThan(config, 30);
  expect(pruned).toMatchObject({ inUse: [], failed: [], cutShort: false });
  expect(pruned.removed).toEqual([
    expect.objectContaining({
      sessionId: "old",
      agents: 2,
      projectDir: join(config, "projects/p"),
    }),
  ]);
  expect(tree(config)).toEqual(["projects", "projects/p", ...before].toSorted());
  expect(await pruneOlderThan(config, 30)).toMatchObject({ removed: [], failed: [] });
});

test("one new file in a session keeps all of it", async () => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 90 });
  writeFileSync(join(directory, "tool-results", "late.txt"), "new");
  expect((await pruneOlderThan(config, 30)).removed).toEqual([]);
  expect(existsSync(`${directory}.jsonl`)).toBe(true);
});

test("sessions of other programs stay, also when they look much like ours", async () => {
  const config = configDirectory();
  const projects = join(config, "projects/p");
  writeOld(join(projects, "theirs.jsonl"), "{}\n", 400);
  writeOld(join(projects, "theirs/subagents/agent-a1.jsonl"), "{}\n", 400);
  writeOld(join(projects, "theirs/subagents/agent-a1.meta.json"), '{"agentType":"worker"}', 400);
  writeOld(join(projects, "alone.jsonl"), "{}\n", 400);
  writeOld(join(projects, "torn/main.meta.json"), '{"retinue": {"sess', 400);
  writeOld(join(projects, "copied/main.meta.json"), metaText("another", "a1"), 400);
  writeOld(join(projects, "memory/notes.md"), "theirs", 400);
  const before = tree(config);
  expect(await pruneOlderThan(config, 1)).toMatchObject({ removed: [], inUse: [], failed: [] });
  expect(tree(config)).toEqual(before);
});

test("a session without a main agent is known by its children", async () => {
  const config = configDirectory();
  writeOld(join(config, "projects/p/s/subagents/agent-a1.meta.json"), metaText("s", "a1"), 40);
  expect(names((await pruneOlderThan(config, 30)).removed)).toEqual(["s"]);
});

test("a session that a process works in stays until that process is gone", async () => {
  const config = configDirectory();
  addSession(config, "open", { days: 40, main: { state: "waiting", ...alive } });
  const leased = addSession(config, "leased", { days: 40 });
  addSession(config, "interrupted", { days: 40, main: { state: "running" } });
  const child = spawn("sleep", ["60"]);
  const { pid = 0 } = child;
  writeOld(join(leased, "lease.json"), leaseText({ pid, pidStart: processStart(pid) }), 40);
  const first = await pruneOlderThan(config, 30);
  expect(names(first.removed)).toEqual(["interrupted"]);
  expect(names(first.inUse)).toEqual(["leased", "open"]);
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  const second = await pruneOlderThan(config, 30);
  expect(names(second.removed)).toEqual(["leased"]);
  expect(names(second.inUse)).toEqual(["open"]);
});

test("what links lead to is never touched: only their own names go", async () => {
  const config = configDirectory();
  const outside = configDirectory();
  const elsewhere = addSession(outside, "linked", { days: 90 });
  const before = tree(outside);
  const directory = addSession(config, "s", { days: 90 });
  symlinkSync(elsewhere, join(directory, "tasks"));
  symlinkSync(join(elsewhere, "audit.jsonl"), join(directory, "subagents", "agent-l.jsonl"));
  // A whole session and a whole project that are links.
  symlinkSync(elsewhere, join(config, "projects/p/linked"));
  symlinkSync(join(outside, "projects/p"), join(config, "projects/q"));
  // A session of nobody, whose own file is a link to one of ours.
  mkdirSync(join(config, "projects/p/borrowed"));
  writeOld(join(config, "projects/p/borrowed/a.txt"), "theirs", 90);
  symlinkSync(
    join(elsewhere, "main.meta.json"),
    join(config, "projects/p/borrowed/main.meta.json"),
  );
  expect(names((await pruneOlderThan(config, 30)).removed)).toEqual(["s"]);
  expect(tree(outside)).toEqual(before);
  expect(tree(join(config, "projects"))).toEqual([
    "p",
    "p/borrowed",
    "p/borrowed/a.txt",
    "p/borrowed/main.meta.json",
    "p/linked",
    "q",
  ]);
});

test("a projects directory that is itself a link is where its owner keeps it", async () => {
  const config = configDirectory();
  const real = configDirectory();
  addSession(real, "s", { days: 90 });
  renameSync(join(config, "projects"), join(config, "unused"));
  symlinkSync(join(real, "projects"), join(config, "projects"));
  expect(names((await pruneOlderThan(config, 30)).removed)).toEqual(["s"]);
  expect(tree(join(real, "projects"))).toEqual(["p"]);
});

test("a transcript that is a link loses its name, not its content", async () => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 90 });
  const kept = join(config, "kept.jsonl");
  renameSync(`${directory}.jsonl`, kept);
  symlinkSync(kept, `${directory}.jsonl`);
  await pruneOlderThan(config, 30);
  expect(tree(config)).toEqual(["kept.jsonl", "projects", "projects/p"]);
  expect(readFileSync(kept, "utf8")).toBe("{}\n");
});

test("a dry run lists what would go and changes nothing", async () => {
  const config = configDirectory();
  addSession(config, "s", { days: 90 });
  const before = tree(config);
  expect(names((await pruneOlderThan(config, 30, true)).removed)).toEqual(["s"]);
  expect(tree(config)).toEqual(before);
});

test("what a crash left half removed is listed by nobody, and the next one finishes it", async () => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 90 });
  const waste = join(config, "projects/p/.retinue-removing");
  mkdirSync(waste);
  renameSync(directory, join(waste, "s"));
  writeOld(`${directory}.jsonl.bad`, "{ torn\n", 90);
  expect(await findAgents(config)).toEqual([]);
  expect(names((await pruneOlderThan(config, 30, true)).removed)).toEqual(["s"]);
  expect((await pruneOlderThan(config, 30)).removed).toMatchObject([{ sessionId: "s", agents: 2 }]);
  expect(tree(config)).toEqual(["projects", "projects/p"]);
});

test("a transcript that was written after its removal broke off stays", async () => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 90 });
  const waste = join(config, "projects/p/.retinue-removing");
  mkdirSync(waste);
  renameSync(directory, join(waste, "s"));
  writeOld(`${directory}.jsonl`, "{}\n", -1);
  expect(names((await pruneOlderThan(config, 30)).removed)).toEqual(["s"]);
  expect(tree(config)).toEqual(["projects", "projects/p", "projects/p/s.jsonl"]);
});

test("a session that was opened while it was being removed is given back", async () => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 90 });
  const before = tree(config);
  const waste = join(config, "projects/p/.retinue-removing");
  mkdirSync(waste);
  renameSync(directory, join(waste, "s"));
  writeOld(join(waste, "s/lease.json"), leaseText(), 90);
  expect(names((await pruneOlderThan(config, 30)).inUse)).toEqual(["s"]);
  expect(tree(config)).toEqual([...before, "projects/p/s/lease.json"].toSorted());
});

test("what is left of a removal does not take the transcript of a session that is there again", async () => {
  const config = configDirectory();
  addSession(config, "s", { days: 1 });
  const before = tree(config);
  writeOld(join(config, "projects/p/.retinue-removing/s/audit.jsonl"), "{}\n", 90);
  expect(await pruneOlderThan(config, 30)).toMatchObject({ removed: [], failed: [] });
  expect(tree(config)).toEqual(before);
});

test("many prunes at once remove every old session and fail nowhere", async () => {
  const config = configDirectory();
  for (let n = 0; n < 30; n += 1)
    addSession(config, `old-${n}`, { days: 60, project: `p${n % 3}` });
  addSession(config, "young", { days: 1 });
  const all = await Promise.all(Array.from({ length: 6 }, () => pruneOlderThan(config, 30)));
  expect(all.flatMap(({ failed }) => failed)).toEqual([]);
  expect(new Set(all.flatMap(({ removed }) => names(removed))).size).toBe(30);
  expect(tree(join(config, "projects")).filter((name) => /old|removing/.test(name))).toEqual([]);
  expect(existsSync(join(config, "projects/p/young/audit.jsonl"))).toBe(true);
});

test("a signal ends it between two sessions, and the report says so", async () => {
  const config = configDirectory();
  addSession(config, "s", { days: 60 });
  const before = (): number => Date.now();
  const pruned = await prune({ configDir: config, before, signal: AbortSignal.abort() });
  expect(pruned).toEqual({ removed: [], inUse: [], failed: [], cutShort: true });
});

test("each project has its own period", async () => {
  const config = configDirectory();
  addSession(config, "a", { days: 10, project: "short" });
  addSession(config, "b", { days: 10, project: "long" });
  const { signal } = new AbortController();
  const before = (project: string): number =>
    Date.now() - (project.endsWith("short") ? 7 : 30) * day;
  expect(names((await prune({ configDir: config, before, signal })).removed)).toEqual(["a"]);
});

test("a link in the place of the directory for removals fails, and nothing is moved through it", async () => {
  const config = configDirectory();
  const outside = configDirectory();
  addSession(config, "s", { days: 90 });
  symlinkSync(outside, join(config, "projects/p/.retinue-removing"));
  const before = tree(config);
  const pruned = await pruneOlderThan(config, 30);
  expect(pruned.failed).toHaveLength(1);
  expect(tree(config)).toEqual(before);
  expect(tree(outside)).toEqual(["projects"]);
});

test("removing one session twice at once does no harm", async () => {
  const config = configDirectory();
  addSession(config, "s", { days: 0 });
  using project = holdDirectory(join(config, "projects/p"));
  const both = [removeSession(project, "s"), removeSession(project, "s")];
  expect(await Promise.all(both)).toEqual(["removed", "removed"]);
  expect(tree(config)).toEqual(["projects", "projects/p"]);
});

test("a file of the future counts as new", async () => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 90 });
  const later = Date.now() / 1000 + 1000;
  utimesSync(join(directory, "audit.jsonl"), later, later);
  expect((await pruneOlderThan(config, 30)).removed).toEqual([]);
});
