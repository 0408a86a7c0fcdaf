// Kills sessions with -9 at random instants and resumes them until all their agents have ended:
//   npm run chaos -- --kills 200 [--seed 1] [--agents 20] [--power] [--keep DIR]
// Ends with 1 when something acknowledged was lost, an effect repeated, or an agent did not finish; the sessions are kept then.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { complaints, reportLines } from "../test/support/chaos/report.ts";
import { storm } from "../test/support/chaos/storm.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    agents: { type: "string", default: "20" },
    power: { type: "boolean", default: false },
    keep: { type: "string" },
  },
});
const agents = wholeNumber("agents", values.agents);
const directory = directoryFor(values.keep);
const sessions = await storm({
  kills: wholeNumber("kills", values.kills),
  seed: wholeNumber("seed", values.seed),
  agents,
  turns: 12,
  durability: values.power ? "power" : "process",
  directory,
  report: (line) => console.error(line),
});
const found = complaints(sessions, agents);
console.log([...found, ...reportLines(sessions, agents)].join("\n"));
if (found.length > 0) {
  process.exitCode = 1;
  console.error(`The sessions are kept in ${directory}.`);
} else if (values.keep === undefined) rmSync(directory, { recursive: true, force: true });

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number from 1 on, not '${text}'.`);
  process.exit(2);
}

function directoryFor(keep: string | undefined): string {
  if (keep !== undefined) mkdirSync(keep, { recursive: true });
  return realpathSync(keep ?? mkdtempSync(join(tmpdir(), "retinue-chaos-")));
}
