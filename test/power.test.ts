import { cpSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ManagerOptions } from "../src/index.ts";
import { silentLogger } from "../src/platform/logger.ts";
import { decodeRecords } from "../src/transcript/power/journal-record.ts";
import { openPowerJournal } from "../src/transcript/power/open-power-journal.ts";
import { readAgent } from "../src/transcript/agent-on-disk.ts";
import { sessionPaths } from "../src/transcript/paths.ts";
import { conversationOf, readTranscript } from "../src/transcript/reader.ts";
import { setStage, temporaryDirectory, type Stage } from "./support/stage.ts";

const working = `
turns:
  - { turn: 1, reply: [{ text: I look. }, { call: Glob, input: { pattern: "*" } }], repeat: true }
  - { turn: 2, reply: [{ call: Read, input: { file_path: a.txt } }], repeat: true }
  - { turn: 3, reply: done, repeat: true }
`;

function stage(options: Partial<ManagerOptions> = {}): Stage & { logged: object[] } {
  const logged: object[] = [];
  const logger: ManagerOptions["logger"] = {
    ...silentLogger,
    info: (fields, message) => logged.push({ ...fields, message }),
    child: () => silentLogger,
  };
  const set = setStage(working, {
    durability: "power",
    files: { "a.txt": "hello\n" },
    logger,
    ...options,
  });
  return { ...set, logged };
}

test("200 agents need far fewer syncs than they have messages", async () => {
  const { manager, logged, events } = stage({ limits: { maxRunning: 200 } });
  const agents = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      manager.spawn({ prompt: `task ${n}`, subagent_type: "Explore" }),
    ),
  );
  for (const { id } of agents) {
    expect(await manager.output(id, { block: true })).toMatchObject({ state: "completed" });
  }
  const messages = events.filter(({ type }) =>
    ["prompt", "assistant-message", "tool-call-end"].includes(type),
  ).length;
  expect(messages).toBe(200 * 6);
  await manager.close();
  const closed = logged.find((line) => "syncs" in line) as { syncs: number; records: number };
  // Each agent also starts and ends, in the file beside its transcript.
  expect(closed.records).toBeGreaterThanOrEqual(messages + 400);
  expect(closed.syncs).toBeLessThan(messages / 2);
  expect(readdirSync(join(manager.transcripts.projectDir, manager.sessionId))).not.toContain(
    "journal.log",
  );
});

test("what anybody was told is in the journal, and comes back when the files have lost it", async () => {
  const { manager } = stage();
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  await manager.output(agent.id, { block: true });
  const { projectDir } = manager.transcripts;

  // What the disk has after a power cut: the journal, and of the files as much as happened to be written.
  const disk = temporaryDirectory();
  cpSync(projectDir, disk, { recursive: true });
  const [before, after] = [projectDir, disk].map((directory) => {
    const paths = sessionPaths(directory, manager.sessionId);
    return { paths, transcript: paths.transcript(agent.id), meta: paths.meta(agent.id) };
  });
  if (before === undefined || after === undefined) throw new Error("unreachable");
  truncateSync(after.transcript, 100);
  rmSync(after.meta);
  expect(await readTranscript(after.transcript)).toEqual([]);

  openPowerJournal("process", { paths: after.paths, logger: silentLogger });
  expect(readFileSync(after.transcript)).toEqual(readFileSync(before.transcript));
  expect(conversationOf(await readTranscript(after.transcript))).toHaveLength(6);
  expect((await readAgent(after.meta))?.record).toEqual((await readAgent(before.meta))?.record);
  expect((await readAgent(after.meta))?.record.state).toBe("completed");
  expect(readdirSync(join(disk, manager.sessionId))).not.toContain("journal.log");
});

test("an event is announced when the journal has it", async () => {
  const { manager } = stage();
  const journal = (): string[] => {
    const path = sessionPaths(manager.transcripts.projectDir, manager.sessionId).powerJournal;
    return [...decodeRecords(readFileSync(path))].map(({ bytes }) => Buffer.from(bytes).toString());
  };
  const stream = manager.events();
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  const missing: string[] = [];
  for await (const event of stream) {
    const written = journal().join("");
    if (event.type === "assistant-message" && !written.includes(event.answer.id)) {
      missing.push(event.type);
    }
    if (event.type === "agent-end") break;
  }
  expect(missing).toEqual([]);
  expect(journal().at(-1)).toContain('"state":"completed"');
  expect(manager.get(agent.id)?.state).toBe("completed");
});

test("an agent that was removed does not come back with the journal", async () => {
  const { manager } = stage();
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  await manager.output(agent.id, { block: true });
  await manager.transcripts.delete(agent.id);
  const disk = temporaryDirectory();
  cpSync(manager.transcripts.projectDir, disk, { recursive: true });
  const paths = sessionPaths(disk, manager.sessionId);
  openPowerJournal("process", { paths, logger: silentLogger });
  expect(readdirSync(paths.agentsDir)).toEqual([]);
});
