/**
 * Retinue against the floor, on a fake model on loopback. See README.md in this folder.
 *
 * Usage: npm run bench [name…] [-- --json --runs N]
 */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benchDefinitions } from "./definitions.ts";
import { FakeModel } from "./fake-model.ts";
import { derivations, figureOf, type Figure, type FigureName, type Round } from "./figures.ts";
import { measure } from "./measure.ts";
import { benchPermissions } from "./permissions.ts";
import { floorProgram, retinueProgram, versionCommands } from "./programs.ts";
import { asText, type Counts, type Report } from "./report.ts";
import { runWorkload } from "./run-workload.ts";
import type { ScaleFigure } from "./scale.ts";
import { workloads, type Workload } from "./script.ts";
import { compare, type Pair } from "./statistics.ts";
import { scratch, Workspace } from "./workspace.ts";

const latencyMs = 20;
const figureNames = Object.keys(derivations) as FigureName[];
const usualNames = [...figureNames, "bytes", "version", "find", "definitions", "permissions"];
/** All figures. `scale` takes minutes, so it runs only on request. */
const allNames = [...usualNames, "scale"];

const { names, runs, json } = readArguments();
const failures: string[] = [];
const report = await bench();
process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : asText(report));
process.exitCode = failures.length === 0 ? 0 : 1;

async function bench(): Promise<Report> {
  using workspace = new Workspace();
  const asked = figureNames.filter((name) => names.includes(name));
  const rounds = asked.length === 0 ? [] : await playRounds(workloadsFor(asked), workspace);
  const figures: Record<string, Figure> = {};
  for (const name of asked) figures[name] = figureOf(name, rounds);
  if (names.includes("version")) figures["version"] = await versionFigure(workspace);
  if (names.includes("find")) Object.assign(figures, await findFigure(workspace));
  const definitions = names.includes("definitions") ? benchDefinitions(workspace, runs) : undefined;
  Object.assign(figures, definitions?.figures);
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cores: availableParallelism(),
    runs,
    latencyMs,
    scratch,
    figures,
    counts: countsOf(rounds),
    oneDefinitionChanged: definitions?.oneChanged ?? {},
    ...(names.includes("permissions") ? { decisions: benchPermissions(workspace, runs) } : {}),
    ...(names.includes("scale") ? { scale: await scaleFigures(workspace) } : {}),
    firstRequestBytes: names.includes("bytes") ? await bytesFigure(workspace) : {},
    failures,
  };
}

/** Plays floor, Retinue, floor, Retinue …: other load of the machine affects both. The first round is not counted. */
async function playRounds(wanted: readonly Workload[], workspace: Workspace): Promise<Round[]> {
  await using model = await FakeModel.start({ latencyMs, directory: workspace.repository });
  const floor = floorProgram(workspace.compileFloor());
  const retinue = retinueProgram();
  const rounds: Round[] = [];
  for (let number = 0; number <= runs; number += 1) {
    const round: Round = {};
    for (const workload of wanted) {
      const pair = {
        floor: await runWorkload(floor, workload, { model, workspace }),
        retinue: await runWorkload(retinue, workload, { model, workspace }),
      };
      const problems = Object.entries(pair).flatMap(([name, run]) =>
        run.problems.map((problem) => `${name} ${workload}: ${problem}`),
      );
      failures.push(...problems);
      if (problems.length === 0) round[workload] = pair;
      process.stderr.write(`${number === 0 ? "warm-up" : `round ${number}`} ${workload}\n`);
    }
    if (number > 0) rounds.push(round);
  }
  return rounds;
}

/** Workloads in the order of `workloads`, each one once. */
function workloadsFor(asked: readonly FigureName[]): Workload[] {
  const needed = new Set<Workload>(asked.flatMap((name) => derivations[name].needs));
  return (Object.keys(workloads) as Workload[]).filter((workload) => needed.has(workload));
}

function countsOf(rounds: readonly Round[]): Record<string, Counts> {
  const counts: Record<string, Counts> = {};
  for (const round of rounds) {
    for (const [workload, { floor, retinue }] of Object.entries(round)) {
      counts[workload] = {
        requests: { floor: floor.requests, retinue: retinue.requests },
        childrenAtOnce: { floor: floor.childrenAtOnce, retinue: retinue.childrenAtOnce },
      };
    }
  }
  return counts;
}

async function versionFigure(workspace: Workspace): Promise<Figure> {
  const commands = versionCommands(workspace);
  const pairs: Pair[] = [];
  for (let number = 0; number <= runs; number += 1) {
    const floor = await measure(commands.floor);
    const retinue = await measure(commands.retinue);
    const works = retinue.exit === 0 && /\d+\.\d+\.\d+/.test(retinue.stdout);
    if (!works) failures.push(`retinue --version: ended with ${retinue.exit}, no version printed`);
    else if (number > 0) pairs.push({ floor: floor.wallMs, retinue: retinue.wallMs });
  }
  return { title: "--version, against node -e 0", unit: "ms", bar: 1.6, ...compare(pairs) };
}

async function findFigure(workspace: Workspace): Promise<Record<string, Figure>> {
  try {
    const { benchFind } = await import("./find.ts");
    return { find: await benchFind(workspace, { runs }) };
  } catch (error) {
    failures.push(`find: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
}

/** Measures bytes. Loaded on request: it is the only part that needs the library. */
async function bytesFigure(workspace: Workspace): Promise<Record<string, number>> {
  const { firstRequestBytes } = await import("./first-request-bytes.ts");
  return firstRequestBytes(workspace);
}

async function scaleFigures(workspace: Workspace): Promise<Record<string, ScaleFigure>> {
  try {
    const { benchScale } = await import("./scale.ts");
    const { fullScale } = await import("./scale-measure.ts");
    return await benchScale(workspace, { runs: Math.min(runs, 5), size: fullScale, latencyMs });
  } catch (error) {
    failures.push(`scale: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
}

function readArguments(): { names: readonly string[]; runs: number; json: boolean } {
  if (process.platform !== "linux") refuse("CPU and memory are read from /proc. Run it on Linux.");
  if (!existsSync(fileURLToPath(new URL("../dist/index.js", import.meta.url)))) {
    refuse("There is no built package to measure. Run: npm run build");
  }
  const { values, positionals } = parsedArguments();
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) refuse("--runs takes a whole number from 1.");
  const unknown = positionals.find((name) => !allNames.includes(name));
  if (unknown !== undefined)
    refuse(`Unknown name '${unknown}'. Use one of ${allNames.join(", ")}.`);
  return { names: positionals.length === 0 ? usualNames : positionals, runs, json: values.json };
}

function parsedArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        runs: { type: "string", default: "15" },
      },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(message: string): never {
  process.stderr.write(`bench: ${message}\n`);
  process.exit(2);
}
