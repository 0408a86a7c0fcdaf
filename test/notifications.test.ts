import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Crashing } from "./support/crash.ts";
import { startCrashing } from "./support/crash.ts";
import { randomOf } from "./support/shell-fuzz/random.ts";
import { quiet } from "./support/quiet-agent.ts";
import { until } from "./support/until.ts";

const options = {
  agents: { quiet },
  allowedTools: ["Bash"],
  limits: { maxRunning: 200, maxTurns: 500 },
};
const children = 100;

/** How many commands of a child wait until somebody kills the process; the others take some time. */
const gatesOf = (index: number): number => (index < 30 ? 2 : index < 60 ? 1 : 0);

function scenario(): string {
  const random = randomOf(5, 0);
  const names = Array.from({ length: children }, (_, index) => `child ${index + 1000}`);
  const input = { subagent_type: "quiet", run_in_background: true };
  const bash = (command: string): object[] => [{ call: "Bash", input: { command } }];
  return JSON.stringify({
    turns: [
      {
        agent: "main",
        turn: 1,
        reply: names.map((name) => ({
          call: "Agent",
          input: { ...input, description: name, prompt: name },
        })),
      },
      { agent: "main", reply: "noted", repeat: true },
      ...names.flatMap((task, index) =>
        [1, 2, 3].map((turn) => ({
          agent: "quiet",
          task,
          turn,
          reply: bash(
            turn <= gatesOf(index)
              ? "echo x >> waiting; sleep 600"
              : `sleep ${random.below(500) / 1000}`,
          ),
        })),
      ),
      { agent: "quiet", turn: 4, reply: "done" },
    ],
  });
}

interface Line {
  type: string;
  retinueMail?: string;
}

function mainLines({ configDir, sessionId }: Crashing): Line[] {
  const [file = "none"] = globSync(`projects/*/${sessionId}.jsonl`, { cwd: configDir });
  const text = readFileSync(join(configDir, file), "utf8");
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });
}

/** The notifications that each life of the parent was told, in order. */
function toldByLife(crashing: Crashing): string[][] {
  const lives: string[][] = [];
  for (const { type, retinueMail } of mainLines(crashing)) {
    if (type === "retinue-record") lives.push([]);
    if (retinueMail !== undefined) lives.at(-1)?.push(retinueMail);
  }
  return lives;
}

function endsOf({ configDir, sessionId }: Crashing): Map<string, number> {
  const files = globSync(`projects/*/${sessionId}/subagents/*.meta.json`, { cwd: configDir });
  return new Map(
    files.map((file) => {
      const { retinue } = JSON.parse(readFileSync(join(configDir, file), "utf8")) as {
        retinue: { id: string; endedAt: number };
      };
      return [retinue.id, retinue.endedAt];
    }),
  );
}

test(
  "a parent of 100 children in the background that is killed and resumed twice is told once of each, in the order of their ends",
  { timeout: 400_000 },
  async () => {
    const first = await startCrashing(scenario(), options);
    const untilTold = (count: number): Promise<void> =>
      until(() => expect(toldByLife(first).flat().length).toBeGreaterThanOrEqual(count));
    const untilWaiting = (count: number): Promise<void> =>
      until(() => {
        const waiting = readFileSync(join(first.cwd, "waiting"), "utf8");
        expect(waiting).toHaveLength(2 * count);
      });
    await untilWaiting(60);
    await untilTold(20);
    await first.kill();
    const second = await first.resume();
    await untilWaiting(90);
    await untilTold(50);
    await second.kill();
    const manager = second.reopen();
    const { failed } = await manager.resumeAll();
    expect(failed).toEqual([]);
    const { state } = await manager.output(first.mainId, { block: true });
    expect(state).toBe("completed");

    const lives = toldByLife(first);
    const ends = endsOf(first);
    expect(lives).toHaveLength(3);
    expect(lives.flat()).toHaveLength(children);
    expect(lives.flat().toSorted()).toEqual([...ends.keys()].map((id) => `${id}/1`).toSorted());
    for (const life of lives) {
      const times = life.map((mail) => ends.get(mail.split("/")[0] ?? ""));
      expect(times).toEqual(times.toSorted((a, b) => (a ?? 0) - (b ?? 0)));
    }
  },
);
