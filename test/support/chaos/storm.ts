import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectDirectory } from "../../../src/transcript/paths.ts";
import { randomOf } from "../shell-fuzz/random.ts";
import { accountOf, type Account } from "./account.ts";
import { readLog, type Acknowledged, type LifeOptions } from "./acknowledged.ts";
import { lostOf, readBooks, readMain } from "./books.ts";
import { hiddenAgents } from "./hidden.ts";
import { chooseInstant, killAt } from "./kill-instant.ts";
import { startLife } from "./life-process.ts";
import { Tails, tornTails } from "./tails.ts";
import { planWork, type Work } from "./work.ts";

export interface StormOptions {
  /** How often a life is killed, over as many sessions as that takes. */
  kills: number;
  seed: number;
  agents: number;
  turns: number;
  durability: LifeOptions["durability"];
  /** Where the sessions go, one directory each. */
  directory: string;
  report?: (line: string) => void;
}

/** What became of one session. */
export interface Weathered extends Account {
  readonly directory: string;
  readonly work: Work;
  readonly files: { readonly cwd: string; readonly sessionDir: string; readonly log: string };
  readonly kills: number;
  /** Of what was acknowledged, what a look after a kill or at the end did not find. */
  readonly lost: Acknowledged[];
  /** How many things were acknowledged. */
  readonly acknowledged: number;
  /** Processes of earlier lives that were there when a resume had brought its agents back. */
  readonly orphans: number;
  /** How often an agent that came back cut off a torn tail. */
  readonly repaired: number;
  readonly tails: Pick<Tails, "byKill" | "onPurpose">;
  /** Agents that were marked as ended after a kill, and were not. */
  readonly hidden: string[];
  /** Transcripts that have a torn tail in the end. */
  readonly stillTorn: string[];
  /** What could not be resumed, and what was warned of. */
  readonly troubles: string[];
}

/** Kills sessions at random instants and resumes them until all their agents have ended. */
export async function storm(options: StormOptions): Promise<Weathered[]> {
  const sessions: Weathered[] = [];
  let left = options.kills;
  while (left > 0) {
    const number = sessions.length + 1;
    const one = await weather({ ...options, kills: left }, number);
    sessions.push(one);
    left -= one.kills;
    options.report?.(`session ${number} has ended after ${one.kills} kills; ${left} are left`);
  }
  return sessions;
}

async function weather(options: StormOptions, number: number): Promise<Weathered> {
  const directory = join(options.directory, `session-${number}`);
  const [cwd, configDir] = [join(directory, "work"), join(directory, "config")];
  mkdirSync(join(cwd, "effects"), { recursive: true });
  const random = randomOf(options.seed, 1000 + number);
  const work = planWork({ ...options, seed: options.seed + number });
  const scenario = join(directory, "scenario.json");
  writeFileSync(scenario, work.scenario);
  const log = join(directory, "acknowledged.jsonl");
  writeFileSync(log, "");
  // In every other session some wait in line.
  const maxRunning = number % 2 === 1 ? 8 : 100;
  const life = { cwd, configDir, scenario, log, maxRunning, durability: options.durability };
  const projectDir = projectDirectory(configDir, cwd);
  const lost: Acknowledged[] = [];
  const troubles: string[] = [];
  const hidden: string[] = [];
  let session: string | null = null;
  const tails = new Tails();
  let [kills, fruitless] = [0, 0];
  for (;;) {
    const process = startLife({ ...life, session });
    if (kills < options.kills) await killAt(process, chooseInstant(random), configDirOf(configDir));
    const { done, killed, complaint } = await process.ended;
    session ??= process.sessionId;
    const sessionDir: string = join(projectDir, session ?? "none");
    if (session !== null) lost.push(...lostOf(readLog(log), readBooks(sessionDir)));
    hidden.push(...hiddenAgents(sessionDir));
    if (done) {
      const told = readLog(log);
      const account = accountOf({ cwd, sessionDir }, work, told);
      return {
        ...account,
        ...figuresOf(told),
        directory,
        work,
        files: { cwd, sessionDir, log },
        kills,
        lost,
        hidden,
        troubles: [...troubles, ...troublesOf(told)],
        tails,
        stillTorn: tornTails(sessionDir),
      };
    }
    if (killed) {
      kills += 1;
      options.report?.(`kill ${kills} of ${options.kills}`);
      // It had not got so far as to leave anything that could be gone on with.
      if (readMain(sessionDir).state === "none") session = null;
      tails.look(sessionDir);
      if (random.chance(0.2)) tails.tear(sessionDir, random);
      continue;
    }
    troubles.push(complaint.trim());
    if ((fruitless += 1) > 5) throw new Error(`It does not start any more: ${complaint}`);
    await sleep(1000);
  }
}

/** A watch needs a directory that is there. */
function configDirOf(path: string): string {
  if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

function troublesOf(told: readonly Acknowledged[]): string[] {
  return told.flatMap((one) => {
    if (one.kind === "warning") return [one.message];
    return one.kind === "not-resumed" ? [`${one.id}: ${one.why}`] : [];
  });
}

function figuresOf(
  told: readonly Acknowledged[],
): Pick<Weathered, "acknowledged" | "orphans" | "repaired"> {
  const count = (kind: Acknowledged["kind"]): number =>
    told.filter((one) => one.kind === kind).length;
  return {
    acknowledged: ["answer", "result", "mail", "end", "sent"].reduce(
      (sum, kind) => sum + count(kind as Acknowledged["kind"]),
      0,
    ),
    orphans: told.reduce((sum, one) => sum + (one.kind === "orphans" ? one.left : 0), 0),
    repaired: count("repaired"),
  };
}
