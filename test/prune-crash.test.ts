import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { findAgents } from "../src/transcript/agent-on-disk.ts";
import { prune } from "../src/transcript/retention.ts";
import { addSession, configDirectory, tree } from "../src/transcript/session-fixture.ts";
import { bin } from "./support/bin.ts";

const count = 80;

test("a prune that is killed leaves every session whole or gone, and the next one finishes", async () => {
  const config = configDirectory();
  const project = join(config, "projects/p");
  for (let n = 0; n < count; n += 1) {
    const directory = addSession(config, `s${n}`, { days: 60 });
    expect(tree(directory)).toHaveLength(wholeSession.length);
  }
  const left = (): string[] => readdirSync(project).filter((name) => /^s\d+$/.test(name));
  let killedMidway = 0;
  for (let kill = 0; kill < 8 && left().length > 0; kill += 1) {
    const before = left().length;
    const child = spawn(process.execPath, [bin, "prune", "--days", "30"], {
      env: { ...process.env, CLAUDE_CONFIG_DIR: config },
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    while (child.exitCode === null && left().length > before - 5) await setTimeout(1);
    child.kill("SIGKILL");
    await ended;
    if (left().length > 0) killedMidway += 1;
    for (const session of left()) expect(tree(join(project, session))).toEqual(wholeSession);
    const agents = await findAgents(config);
    expect(agents).toHaveLength(left().length * 2);
    expect(agents.every(({ transcript }) => existsSync(transcript))).toBe(true);
  }
  expect(killedMidway).toBeGreaterThan(0);
  const { signal } = new AbortController();
  const pruned = await prune({ configDir: config, before: () => Date.now(), signal });
  expect(pruned.failed).toEqual([]);
  expect(readdirSync(project)).toEqual([]);
});

const wholeSession = [
  ...["audit.jsonl", "inbox", "inbox/q1.json", "main.meta.json", "subagents"],
  ...["subagents/agent-a1.jsonl", "subagents/agent-a1.meta.json", "tool-results"],
  "tool-results/a1.txt",
];
