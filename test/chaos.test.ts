import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { accountOf } from "./support/chaos/account.ts";
import { readLog } from "./support/chaos/acknowledged.ts";
import { lostOf, readBooks } from "./support/chaos/books.ts";
import { hiddenAgents } from "./support/chaos/hidden.ts";
import { complaints, reportLines } from "./support/chaos/report.ts";
import { storm } from "./support/chaos/storm.ts";
import { temporaryDirectory } from "./support/stage.ts";

const agents = 20;

test(
  "20 agents that are killed 20 times at random instants lose nothing, repeat nothing and finish",
  { timeout: 600_000 },
  async () => {
    const sessions = await storm({
      kills: 20,
      seed: 7,
      agents,
      turns: 6,
      durability: "process",
      directory: temporaryDirectory(),
    });
    process.stdout.write(`${reportLines(sessions, agents).join("\n")}\n`);
    expect(complaints(sessions, agents)).toEqual([]);
    expect(sessions.reduce((sum, { kills }) => sum + kills, 0)).toBe(20);
    // Otherwise nothing was under way when it was killed, and the test proves nothing.
    expect(sessions.some(({ interrupted }) => interrupted > 0)).toBe(true);
    expect(sessions.some(({ repaired }) => repaired > 0)).toBe(true);
  },
);

test("what is lost, repeated, missing or told twice is found", { timeout: 600_000 }, async () => {
  const size = { kills: 1, seed: 7, agents: 3, turns: 3 };
  const directory = temporaryDirectory();
  const [session] = await storm({ ...size, durability: "process", directory });
  if (session === undefined) throw new Error("There was no session.");
  const { files, work } = session;
  const told = readLog(files.log);
  const again = () => accountOf(files, work, told);
  const change = (path: string, edit: (lines: string[]) => string[]): void =>
    writeFileSync(path, edit(readFileSync(path, "utf8").split("\n")).join("\n"));
  expect([again().repeated, again().missing, again().toldTwice, again().doubles]).toEqual([
    [],
    [],
    [],
    [],
  ]);

  change(join(files.cwd, "effects/w000"), ([first = "", ...rest]) => [first, first, ...rest]);
  change(join(files.cwd, "effects/w001"), (lines) => lines.slice(-1));
  const { repeated, missing } = again();
  expect(repeated).toHaveLength(1);
  expect(missing.length).toBeGreaterThan(0);
  expect(missing.every((effect) => effect.startsWith("w001:"))).toBe(true);

  change(`${files.sessionDir}.jsonl`, (lines) => [
    ...lines.filter((line) => line.includes('"retinueMail"')),
    ...lines,
  ]);
  expect(again().toldTwice.length).toBeGreaterThan(0);
  const [mark = ""] = globSync(`${files.sessionDir}/ended/*`);
  expect(hiddenAgents(files.sessionDir)).toEqual([]);
  const meta = join(files.sessionDir, `subagents/agent-${basename(mark)}.meta.json`);
  const marked = existsSync(meta) ? meta : join(files.sessionDir, "main.meta.json");
  change(marked, (lines) =>
    lines.map((line) => line.replace('"state":"completed"', '"state":"running"')),
  );
  expect(hiddenAgents(files.sessionDir)).toEqual([basename(mark)]);
  const [transcript = ""] = globSync(`${files.sessionDir}/subagents/agent-*.jsonl`);
  expect(lostOf(told, readBooks(files.sessionDir))).toEqual([]);
  change(transcript, (lines) => lines.filter((line) => !line.includes('"type":"tool_result"')));
  const lost = lostOf(told, readBooks(files.sessionDir));
  expect(lost.length).toBeGreaterThan(0);
  expect(lost.every(({ kind }) => kind === "result")).toBe(true);
});
