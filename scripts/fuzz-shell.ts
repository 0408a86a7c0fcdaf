// Compares the reader of commands and the permission engine with real bash under strace:
//   npm run fuzz:shell -- --count 1000000 --seed 1 [--runs 120000] [--keep DIR] [--corpus FILE]
// Ends with 1 if bash did what the grammar did not name, or anything against a decision. `--keep` writes every violation to
// DIR/violations.jsonl. `node scripts/fetch-bash-tests.ts` brings bash's own tests, which then are a source too.
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compare } from "../test/support/shell-fuzz/compare.ts";
import { corpusShares, shareLines } from "../test/support/shell-fuzz/corpus-shares.ts";
import { openEngine } from "../test/support/shell-fuzz/engine.ts";
import { openLanes } from "../test/support/shell-fuzz/lanes.ts";
import { figures, violationLines } from "../test/support/shell-fuzz/report.ts";
import { agentCommands } from "../test/support/shell-fuzz/sources/corpus.ts";
import {
  openSources,
  sourceNames,
  type SourceName,
} from "../test/support/shell-fuzz/sources/sources.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1000000" },
    runs: { type: "string" },
    seed: { type: "string", default: "1" },
    lanes: { type: "string" },
    keep: { type: "string" },
    corpus: { type: "string" },
    only: { type: "string", multiple: true },
  },
});
const [count, seed] = [wholeNumber("count", values.count), wholeNumber("seed", values.seed)];
const runs = wholeNumber("runs", values.runs ?? String(Math.ceil(count * 0.12)));
const width = wholeNumber("lanes", values.lanes ?? String(availableParallelism()));
const directory = realpathSync(mkdtempSync(join(tmpdir(), "retinue-fuzz-")));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
// The first signal ends the run early, with the figures so far.
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
}
if (values.keep !== undefined) mkdirSync(values.keep, { recursive: true });

await using lanes = openLanes(directory, width);
const engine = openEngine(lanes.places);
const shares = await corpusShares(agentCommands(lanes.places, values.corpus), engine, lanes);
let nextReport = 0;
const comparison = await compare({
  ...{ seed, count, runs, engine, lanes, signal: stop.signal },
  generate: openSources({
    seed,
    places: lanes.places,
    corpus: values.corpus,
    only: chosenSources(),
  }),
  report: ({ generated, executed, violations }, violation) => {
    if (violation !== null) keep(violation);
    if (generated < nextReport) return;
    nextReport = generated + Math.ceil(count / 50);
    console.error(`${generated} generated, ${executed} executed, ${violations.length} violations`);
  },
});
const lines = [
  ...violationLines(comparison),
  ...shareLines(shares),
  ...figures(comparison, lanes.confinement),
];
console.log(lines.join("\n"));
if (comparison.violations.length > 0) process.exitCode = 1;

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number, not '${text}'.`);
  process.exit(2);
}

function chosenSources(): readonly SourceName[] {
  const wanted = values.only ?? [];
  const found = sourceNames.filter((name) => wanted.length === 0 || wanted.includes(name));
  if (found.length > 0) return found;
  console.error(`--only takes ${sourceNames.join(", ")}.`);
  process.exit(2);
}

function keep(value: unknown): void {
  if (values.keep !== undefined)
    appendFileSync(join(values.keep, "violations.jsonl"), `${JSON.stringify(value)}\n`);
}
