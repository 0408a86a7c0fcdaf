import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ProgramName } from "./scale-fleet.ts";
import type { ScaleModel } from "./scale-model.ts";
import type { ScaleWork } from "./scale-work.ts";
import type { Workspace } from "./workspace.ts";

/** The amount of everything. The bars are for `fullScale`; a test takes less. */
export interface ScaleSize {
  /** The number of warm-up rounds before any counts. */
  warmUps: number;
  agents: number;
  few: number;
  sequence: readonly [number, number];
  turns: number;
  longAgents: number;
  shortAgents: number;
  messages: number;
}

export const fullScale: ScaleSize = {
  warmUps: 1,
  agents: 1000,
  few: 10,
  sequence: [1000, 10_000],
  turns: 1000,
  longAgents: 3,
  shortAgents: 50,
  messages: 100_000,
};

export interface Bench {
  workspace: Workspace;
  model: ScaleModel;
  size: ScaleSize;
  latencyMs: number;
}

/** Runs warm-up rounds, if needed, then the rounds that count. */
export async function inRounds<Round>(
  { size }: Bench,
  { name, runs, warmUp }: { name: string; runs: number; warmUp?: () => Promise<unknown> },
  round: () => Promise<Round>,
): Promise<Round[]> {
  const warmUps = warmUp === undefined ? 0 : size.warmUps;
  for (let number = 1; number <= warmUps; number += 1) {
    process.stderr.write(`warm-up ${name}\n`);
    await warmUp?.();
  }
  const rounds: Round[] = [];
  for (let number = 1; number <= runs; number += 1) {
    process.stderr.write(`round ${number} ${name}\n`);
    rounds.push(await round());
  }
  return rounds;
}

/** One measurement in a process of its own. Requests wait only where many agents wait at once. */
export async function measure<Figures>(
  { workspace, model, latencyMs }: Bench,
  program: ProgramName,
  work: ScaleWork,
  { atOnce = 1 }: { atOnce?: number } = {},
): Promise<Figures> {
  const { repository: cwd, home, root } = workspace;
  const task = {
    program,
    fleet: { url: model.url, cwd, configDir: join(home, ".claude"), atOnce },
    ...work,
  };
  model.reset(
    work.kind === "crowd" ? { latencyMs, crowd: work.agents } : { latencyMs: 0, crowd: 1 },
  );
  const script = fileURLToPath(new URL("scale-work.ts", import.meta.url));
  const args = ["--expose-gc", script, JSON.stringify(task)];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: root };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env });
  const [refusal] = model.refusals;
  if (refusal !== undefined) throw new Error(`${program}: the model refused: ${refusal}`);
  return JSON.parse(stdout) as Figures;
}
