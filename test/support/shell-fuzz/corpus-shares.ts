import { secondLook } from "../../../src/permissions/shell/second-look.ts";
import { policies, type Engine } from "./engine.ts";
import { harmOf } from "./harm.ts";
import type { Lanes } from "./lanes.ts";
import { lookPrograms, wrapperPrograms } from "./stubs.ts";

export interface CorpusShares {
  commands: number;
  readable: number;
  /** Commands of programs that only look, of which real bash opened nothing outside and wrote nothing. */
  looking: number;
  lookingReadable: number;
  lookingUnasked: number;
  /** Looking, and asked all the same. */
  asked: string[];
}

/** Counts readable commands of the corpus, and how many of those that only look inside the folder run unasked. */
export async function corpusShares(
  commands: readonly string[],
  engine: Engine,
  lanes: Lanes,
): Promise<CorpusShares> {
  const shares: CorpusShares = {
    ...{ commands: commands.length, readable: 0, looking: 0, lookingReadable: 0 },
    ...{ lookingUnasked: 0, asked: [] },
  };
  for (const command of commands) {
    const isReadable = engine.read(command) !== null;
    if (isReadable) shares.readable += 1;
    if (!(await onlyLooks(command, engine, lanes))) continue;
    shares.looking += 1;
    if (isReadable) shares.lookingReadable += 1;
    if (engine.decide(policies[0], command) === "allow") shares.lookingUnasked += 1;
    else shares.asked.push(command);
  }
  return shares;
}

export function shareLines(shares: CorpusShares): string[] {
  const { commands, readable, looking, lookingReadable, lookingUnasked } = shares;
  if (commands === 0)
    return ["real commands of coding agents: none beside the repository, left out"];
  return [
    `real commands of coding agents: ${readable} of ${commands} readable (${percent(readable / commands)})`,
    `those that only look inside the folder: ${looking}, ${lookingReadable} of them readable, ${lookingUnasked} run unasked (${percent(lookingUnasked / looking)})`,
  ];
}

const builtins = "cd echo printf pwd test [ true false : set exit type command wait break continue";
const looks = new Set([...lookPrograms, ...wrapperPrograms, ...builtins.split(" ")]);

async function onlyLooks(command: string, engine: Engine, lanes: Lanes): Promise<boolean> {
  const shell = engine.read(command) ?? secondLook(command);
  const programs = shell?.commands.flatMap(({ words: [name] }) => name ?? []) ?? [];
  if (programs.length === 0 || !programs.every(({ text }) => looks.has(text))) return false;
  const seen = await lanes.run(command);
  return seen !== null && harmOf(policies[0], seen, lanes.places).length === 0;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
