import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Figure } from "./figures.ts";
import { writeSampleDefinitions } from "./sample-definitions.ts";
import { compare, spreadOf, type Spread } from "./statistics.ts";
import type { Workspace } from "./workspace.ts";

export interface DefinitionFigures {
  figures: Record<string, Figure>;
  /** Number of files → milliseconds until one that changed is loaded again. */
  oneChanged: Record<string, Spread | null>;
}

const counts = [100, 1000, 10_000];
const compared = 1000;

/** Measures loading agent files, beside a program that only reads them. */
export function benchDefinitions(workspace: Workspace, runs: number): DefinitionFigures {
  const directories = new Map(
    counts.map((count) => [count, join(workspace.root, "definitions", String(count))]),
  );
  for (const [count, directory] of directories) writeSampleDefinitions(directory, count);
  const measured = Array.from({ length: runs }, (_, run) => {
    process.stderr.write(`round ${run + 1} definitions\n`);
    return new Map(
      [...directories].map(([count, directory]) => [count, measureOnce(count, directory)]),
    );
  });
  const pairs = (phase: "first" | "again"): Parameters<typeof compare>[0] =>
    measured.flatMap((round) => {
      const one = round.get(compared);
      return one === undefined ? [] : [{ floor: one.floor[phase], retinue: one.retinue[phase] }];
    });
  return {
    figures: {
      definitions: { title: "1,000 definitions", unit: "ms", ...compare(pairs("first")) },
      unchanged: { title: "again, nothing changed", unit: "ms", ...compare(pairs("again")) },
    },
    oneChanged: Object.fromEntries(
      counts.map((count) => [
        String(count),
        spreadOf(measured.flatMap((round) => round.get(count)?.retinue.oneChanged ?? [])),
      ]),
    ),
  };
}

interface Once {
  floor: { first: number; again: number };
  retinue: { first: number; again: number; oneChanged: number; count: number };
}

function measureOnce(count: number, directory: string): Once {
  const script = fileURLToPath(new URL("load-definitions.ts", import.meta.url));
  const run = (program: string): unknown =>
    JSON.parse(execFileSync(process.execPath, [script, program, directory], { encoding: "utf8" }));
  const once = { floor: run("floor"), retinue: run("retinue") } as Once;
  if (once.retinue.count !== count) {
    throw new Error(`${once.retinue.count} of ${count} definitions were loaded.`);
  }
  return once;
}
