import { expect, test } from "vitest";
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
      turns: 10,
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
