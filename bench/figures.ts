import type { Run } from "./run-workload.ts";
import { workloads, type Workload } from "./script.ts";
import { compare, type Comparison, type Pair } from "./statistics.ts";

/** Both programs on each workload once, interleaved. A pair with a failed run is left out. */
export type Round = Partial<Record<Workload, { floor: Run; retinue: Run }>>;

/** A figure and the workloads that it is computed from. */
interface Derivation {
  title: string;
  unit: string;
  needs: readonly Workload[];
  /** The most that the ratio may be, or the value where the unit is MiB; left out: only shown. */
  bar?: number;
  of: (runs: (workload: Workload) => Run) => number;
}

export interface Figure extends Comparison {
  title: string;
  unit: string;
  /** The bar, as in a `Derivation`. */
  bar?: number;
}

/** Every figure of the rounds, by the name that requests it. */
export const derivations = {
  S4: wallTime("S4", "no child", 2.5),
  S1: wallTime("S1", "1 child", 2.5),
  S2: wallTime("S2", "10 children", 2.5),
  S3: wallTime("S3", "50 children", 2.5),
  S3q: wallTime("S3q", "10 at once"),
  first: {
    title: "time to the first request",
    unit: "ms",
    needs: ["S4"],
    bar: 3,
    of: (runs) => runs("S4").firstRequestMs,
  },
  cpu: {
    title: "CPU per request",
    unit: "ms",
    needs: ["S3", "S4"],
    bar: 4,
    of: (runs) =>
      (runs("S3").cpuMs - runs("S4").cpuMs) / (runs("S3").requests - runs("S4").requests),
  },
  memory: {
    title: "memory per child",
    unit: "MiB",
    needs: ["S2", "S3"],
    bar: 1,
    of: (runs) => (runs("S3").peakMiB - runs("S2").peakMiB) / (workloads.S3 - workloads.S2),
  },
} as const satisfies Record<string, Derivation>;

export type FigureName = keyof typeof derivations;

export function figureOf(name: FigureName, rounds: readonly Round[]): Figure {
  const { title, unit, needs, bar, of }: Derivation = derivations[name];
  const pairs = rounds.flatMap((round): Pair[] => {
    if (needs.some((workload) => round[workload] === undefined)) return [];
    const valueFor = (program: "floor" | "retinue"): number =>
      of((workload) => {
        const run = round[workload]?.[program];
        if (run === undefined) throw new Error(`'${name}' uses ${workload} without needing it.`);
        return run;
      });
    return [{ floor: valueFor("floor"), retinue: valueFor("retinue") }];
  });
  return { title, unit, ...(bar === undefined ? {} : { bar }), ...compare(pairs) };
}

function wallTime(workload: Workload, what: string, bar?: number): Derivation {
  const title = `${workload} wall time, ${what}`;
  const limit = bar === undefined ? {} : { bar };
  return { title, unit: "ms", needs: [workload], ...limit, of: (runs) => runs(workload).wallMs };
}
