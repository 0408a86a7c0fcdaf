import { generateCommand, type GeneratedCommand } from "./generate-command.ts";
import type { Lanes } from "./lanes.ts";
import { shrink } from "./shrink.ts";
import type { Observation } from "./slot.ts";
import { forbiddenStubs } from "./stubs.ts";

export type Verdict = "allow" | "ask" | "deny";
export type Decide = (command: string) => Verdict;

/** What was decided about a command, and what it did. */
export interface Compared extends GeneratedCommand, Observation {
  index: number;
  verdict: Verdict;
}

export interface Violation extends Compared {
  /** Shorter, and still allowed and still doing what it must not. */
  shortest: string;
}

export interface Comparison {
  seed: number;
  compared: number;
  timedOut: number;
  verdicts: Record<Verdict, number>;
  /** Commands of allowed programs and ordinary syntax only, and those of them that somebody would be asked about. */
  plain: number;
  plainNotAllowed: Compared[];
  /** Not allowed, and it would have done harm: shows that the generator bites. */
  harmPrevented: number;
  violations: Violation[];
}

/** Decides about each command, runs it whatever was decided, and compares. */
export async function compare(options: {
  seed: number;
  count: number;
  decide: Decide;
  lanes: Lanes;
  report?: (one: Compared) => void;
}): Promise<Comparison> {
  const { seed, count, decide, lanes } = options;
  const comparison: Comparison = {
    seed,
    compared: 0,
    timedOut: 0,
    verdicts: { allow: 0, ask: 0, deny: 0 },
    plain: 0,
    plainNotAllowed: [],
    harmPrevented: 0,
    violations: [],
  };
  const found: Compared[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      const { kind, command } = generateCommand(seed, index);
      const verdict = decide(command);
      const one = { index, kind, command, verdict, ...(await lanes.run(command)) };
      tally(comparison, one);
      if (verdict === "allow" && didHarm(one)) found.push(one);
      options.report?.(one);
    }
  };
  await Promise.all(Array.from({ length: lanes.width }, work));
  found.sort((a, b) => a.index - b.index);
  for (const one of found) {
    const harm = harmOf(one).join("\n");
    const violates = async (text: string): Promise<boolean> =>
      decide(text) === "allow" && harmOf(await lanes.run(text)).join("\n") === harm;
    // Many have one cause; a few are enough to see it.
    const isWorthIt = comparison.violations.length < mostShrunk;
    const shortest = isWorthIt ? await shrink(one.command, violates) : one.command;
    comparison.violations.push({ ...one, shortest });
  }
  return comparison;
}

const mostShrunk = 5;

function didHarm(observation: Observation): boolean {
  return harmOf(observation).length > 0;
}

/** Programs that ran and are not allowed, and files that were written: these rules allow neither. */
export function harmOf({ ran, changed }: Observation): string[] {
  const names = new Set(ran.map((record) => record.split(" ", 1)[0]));
  return [...forbiddenStubs.filter((name) => names.has(name)), ...changed];
}

function tally(comparison: Comparison, one: Compared): void {
  comparison.compared += 1;
  comparison.verdicts[one.verdict] += 1;
  if (one.timedOut) comparison.timedOut += 1;
  if (one.verdict !== "allow" && didHarm(one)) comparison.harmPrevented += 1;
  if (one.kind !== "plain") return;
  comparison.plain += 1;
  if (one.verdict !== "allow") comparison.plainNotAllowed.push(one);
}
