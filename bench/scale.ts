import { join } from "node:path";
import { writeSampleTranscript } from "./sample-transcript.ts";
import type { ProgramName } from "./scale-fleet.ts";
import { inRounds, measure, type Bench, type ScaleSize } from "./scale-measure.ts";
import { ScaleModel } from "./scale-model.ts";
import type {
  CrowdFigures,
  LongFigures,
  SequenceFigures,
  TranscriptFigures,
} from "./scale-work.ts";
import { compare, spreadOf, type Pair, type Spread } from "./statistics.ts";
import type { Workspace } from "./workspace.ts";

/** A figure beside its bar. */
export interface ScaleFigure {
  title: string;
  unit: string;
  value: Spread | null;
  /** The upper limit; `null`: only shown. */
  bar: number | null;
  /** Spreads that the figure is made of. */
  floor?: Spread | null;
  retinue?: Spread | null;
}

/** Many agents, long conversations and long transcripts in one process, beside the floor. Throws when a run does not count. */
export async function benchScale(
  workspace: Workspace,
  { runs, size, latencyMs }: { runs: number; size: ScaleSize; latencyMs: number },
): Promise<Record<string, ScaleFigure>> {
  await using model = await ScaleModel.start(workspace.repository);
  const bench = { workspace, model, size, latencyMs };
  return {
    ...(await crowdFigures(bench, runs)),
    ...(await sequenceFigures(bench)),
    ...(await transcriptFigure(bench, runs)),
    ...(await longFigure(bench, Math.min(runs, 3))),
  };
}

async function crowdFigures(bench: Bench, runs: number): Promise<Record<string, ScaleFigure>> {
  const { agents, few } = bench.size;
  const crowd = async (program: ProgramName, count: number): Promise<CrowdFigures> => {
    const work = { kind: "crowd", agents: count, reads: 3 } as const;
    const figures = await measure<CrowdFigures>(bench, program, work, { atOnce: count });
    const { requests, mostAtOnce } = bench.model;
    const counts = `${requests} requests, ${mostAtOnce} agents at once`;
    if (requests !== 4 * count || mostAtOnce !== count) throw new Error(`${program}: ${counts}`);
    return figures;
  };
  // Warms up the model and the disk's cache: each measurement has a process of its own, which is never warm.
  const warmUp = async (): Promise<void> => {
    await crowd("floor", agents);
    await crowd("retinue", few);
  };
  const rounds = await inRounds(bench, { name: "crowd", runs, warmUp }, async () => ({
    floor: { few: await crowd("floor", few), many: await crowd("floor", agents) },
    retinue: { few: await crowd("retinue", few), many: await crowd("retinue", agents) },
  }));
  type Program = (typeof rounds)[number]["floor"];
  const pairs = (of: (program: Program) => number): Pair[] =>
    rounds.map(({ floor, retinue }) => ({ floor: of(floor), retinue: of(retinue) }));
  const wall = compare(pairs(({ many }) => many.wallMs));
  const cpu = compare(pairs(({ many }) => many.cpuMs));
  const memory = compare(
    pairs(({ few: one, many }) => (many.peakMiB - one.peakMiB) / (agents - few)),
  );
  const delay = compare(pairs(({ many }) => many.loopDelayMs));
  const longest = compare(pairs(({ many }) => many.longestDelayMs));
  const crowdTitle = `${agents} agents at once, 4 turns each`;
  return {
    crowd: {
      title: `${crowdTitle}: wall time`,
      unit: "ms",
      ...beside(wall),
      value: wall.ratio,
      bar: 3,
    },
    cpu: { title: "… CPU", unit: "ms", ...beside(cpu), value: cpu.ratio, bar: null },
    memory: {
      title: "… memory per agent",
      unit: "MiB",
      ...beside(memory),
      value: memory.retinue,
      bar: 1,
    },
    delay: {
      title: "… event-loop delay, p99",
      unit: "ms",
      ...beside(delay),
      value: delay.retinue,
      bar: null,
    },
    longest: {
      title: "… event-loop delay, longest",
      unit: "ms",
      ...beside(longest),
      value: longest.retinue,
      bar: null,
    },
  };
}

/** Memory that is still held after a collection, early and late in a process that runs agents ten at a time. */
async function sequenceFigures(bench: Bench): Promise<Record<string, ScaleFigure>> {
  const [fewer, all] = bench.size.sequence;
  process.stderr.write("sequence\n");
  const work = { kind: "sequence", reads: 1, after: [fewer, all] } as const;
  const { heapMiB } = await measure<SequenceFigures>(bench, "retinue", work, { atOnce: 10 });
  const [before, after] = heapMiB;
  if (before === undefined || after === undefined || bench.model.requests !== 2 * all) {
    throw new Error(`sequence: ${bench.model.requests} requests, ${heapMiB.length} readings`);
  }
  return {
    heap: {
      title: `heap after ${all} agents, collected ÷ after ${fewer}`,
      unit: "MiB",
      floor: spreadOf([before]),
      retinue: spreadOf([after]),
      value: spreadOf([after / before]),
      bar: 1.3,
    },
  };
}

async function transcriptFigure(bench: Bench, runs: number): Promise<Record<string, ScaleFigure>> {
  const { messages } = bench.size;
  const path = join(bench.workspace.root, "long.jsonl");
  writeSampleTranscript(path, messages);
  const read = async (program: ProgramName): Promise<number> => {
    const figures = await measure<TranscriptFigures>(bench, program, { kind: "transcript", path });
    if (figures.messages !== messages + 1) throw new Error(`${program} read ${figures.messages}`);
    return figures.ms;
  };
  const warmUp = (): Promise<number> => read("retinue");
  const pairs = await inRounds(bench, { name: "transcript", runs, warmUp }, async () => ({
    floor: await read("floor"),
    retinue: await read("retinue"),
  }));
  const comparison = compare(pairs);
  const title = `a transcript of ${messages} messages becomes a conversation`;
  return {
    transcript: { title, unit: "ms", ...beside(comparison), value: comparison.ratio, bar: 3 },
  };
}

/** Measures how the ratio to the floor changes as a conversation grows. */
async function longFigure(bench: Bench, runs: number): Promise<Record<string, ScaleFigure>> {
  const { turns, longAgents: agents, shortAgents: short } = bench.size;
  const long = (program: ProgramName): Promise<LongFigures> =>
    measure<LongFigures>(bench, program, { kind: "long", short, turns, agents });
  // The processes of this figure warm themselves up.
  const rounds = await inRounds(bench, { name: "long", runs }, async () => ({
    floor: await long("floor"),
    retinue: await long("retinue"),
  }));
  const ratios = (of: (figures: LongFigures) => number): ReturnType<typeof compare> =>
    compare(rounds.map(({ floor, retinue }) => ({ floor: of(floor), retinue: of(retinue) })));
  const early = ratios(({ earlyMs }) => earlyMs);
  const late = ratios(({ lateMs }) => lateMs);
  const growth = compare(
    rounds.map(({ floor, retinue }) => ({
      floor: retinue.earlyMs / floor.earlyMs,
      retinue: retinue.lateMs / floor.lateMs,
    })),
  );
  return {
    early: { title: "CPU of turn 10", unit: "ms", ...beside(early), value: early.ratio, bar: null },
    late: {
      title: `CPU of turn ${turns}`,
      unit: "ms",
      ...beside(late),
      value: late.ratio,
      bar: null,
    },
    growth: { title: `… its ratio ÷ that of turn 10`, unit: "×", value: growth.ratio, bar: 1.3 },
  };
}

function beside({
  floor,
  retinue,
}: ReturnType<typeof compare>): Pick<ScaleFigure, "floor" | "retinue"> {
  return { floor, retinue };
}
