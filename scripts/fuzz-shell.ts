// Compares the permission engine with real bash on commands that a seed generates:
//   npm run fuzz:shell -- --count 100000 --seed 1 [--keep DIR]
// Ends with 1 if a command ran or wrote against the decision, or if too few harmless ones are allowed. `--keep` writes every
// command with its decision and its deeds to DIR/commands.jsonl.
import { createWriteStream, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compare, type Compared } from "../test/support/shell-fuzz/compare.ts";
import { openEngine } from "../test/support/shell-fuzz/engine.ts";
import { openLanes } from "../test/support/shell-fuzz/lanes.ts";
import {
  allowedShare,
  figures,
  sampleLines,
  violationLines,
} from "../test/support/shell-fuzz/report.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    keep: { type: "string" },
  },
});
const [count, seed] = [wholeNumber("count", values.count), wholeNumber("seed", values.seed)];
const directory = realpathSync(mkdtempSync(join(tmpdir(), "retinue-fuzz-")));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
process.once("SIGINT", () => process.exit(130));

await using lanes = openLanes(directory, availableParallelism());
const decide = openEngine(lanes.workingDirectory);
const kept = values.keep === undefined ? null : openKeep(values.keep);
let done = 0;
const comparison = await compare({
  seed,
  count,
  decide,
  lanes,
  report: (one) => {
    kept?.write(`${JSON.stringify(one satisfies Compared)}\n`);
    done += 1;
    if (process.stderr.isTTY && done % 100 === 0) process.stderr.write(`\r${done} of ${count}`);
  },
});
kept?.end();
if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");

const leastAllowed = 0.9;
const isUseful = allowedShare(comparison) >= leastAllowed;
const lines = [
  ...violationLines(comparison),
  ...(isUseful ? [] : sampleLines(comparison)),
  ...figures(comparison, lanes.confinement),
];
console.log(lines.join("\n"));
if (comparison.violations.length > 0 || !isUseful) process.exitCode = 1;

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number, not '${text}'.`);
  process.exit(2);
}

function openKeep(path: string): NodeJS.WritableStream {
  mkdirSync(path, { recursive: true });
  return createWriteStream(join(path, "commands.jsonl"));
}
