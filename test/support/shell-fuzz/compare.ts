import { divergences } from "./conformance.ts";
import { policies, type Engine, type Verdict } from "./engine.ts";
import { harmOf } from "./harm.ts";
import type { Lanes } from "./lanes.ts";
import { mayRun } from "./may-run.ts";
import { widenings } from "./metamorphic.ts";
import { randomOf } from "./random.ts";
import { shrink } from "./shrink.ts";
import { sourceNames, type Generate, type Generated, type SourceName } from "./sources/sources.ts";
import type { Observation } from "./slot.ts";

/**
 * The oracle that was violated. `grammar`: bash did what the reader did not name. `decision`: it was allowed.
 * `widening`: a change made it allowed.
 */
export type Oracle = "grammar" | "decision" | "widening";

export interface Violation extends Generated {
  oracle: Oracle;
  what: string[];
  /** Shorter, and with the same symptom. */
  shortest: string;
}

export interface SourceFigures {
  generated: number;
  readable: number;
  executed: number;
}

export interface Comparison {
  seed: number;
  generated: number;
  distinct: number;
  readable: number;
  executed: number;
  readableExecuted: number;
  allowedExecuted: number;
  timedOut: number;
  lost: number;
  changesTried: number;
  verdicts: Record<string, Record<Verdict, number>>;
  sources: Record<SourceName, SourceFigures>;
  /** Executed, not allowed, and it would have done harm: shows that the sources bite. */
  harmPrevented: number;
  violations: Violation[];
}

/** A command with what was decided about it. */
interface Decided extends Generated {
  verdicts: (Verdict | null)[];
  isReadable: boolean;
}

/** Decides about each command under every policy, runs a share of them, and compares. */
export async function compare(options: {
  seed: number;
  count: number;
  /** About how many are run; those that are allowed or readable come first. */
  runs: number;
  engine: Engine;
  generate: Generate;
  lanes: Lanes;
  /** How many violations are shortened; many have one cause. */
  shrinks?: number;
  /** Ends the run early. */
  signal?: AbortSignal;
  report?: (comparison: Comparison, violation: Violation | null) => void;
}): Promise<Comparison> {
  const { seed, count, runs, engine, lanes, generate, shrinks = 30 } = options;
  const comparison = newComparison(seed);
  const seen = new Set<string>();
  let [next, chosen, shrunk] = [0, 0, 0];
  const take = (): Decided | null => {
    while (next < count && options.signal?.aborted !== true) {
      const index = next;
      next += 1;
      const one = generate(index);
      comparison.generated += 1;
      comparison.sources[one.source].generated += 1;
      if (seen.has(one.command)) continue;
      seen.add(one.command);
      const decided = decideAll(one);
      const left = (runs - chosen) / (count - index);
      if (!mayRun(one.command) || !randomOf(seed + 1, index).chance(shareOf(decided, left)))
        continue;
      chosen += 1;
      return decided;
    }
    return null;
  };
  const decideAll = (one: Generated): Decided => {
    const isReadable = engine.read(one.command) !== null;
    // Opaque commands get no further than the rules, and one policy after the other has its turn.
    const verdicts = policies.map((policy, at) =>
      isReadable || one.index % policies.length === at ? engine.decide(policy, one.command) : null,
    );
    comparison.distinct += 1;
    if (isReadable) {
      comparison.readable += 1;
      comparison.sources[one.source].readable += 1;
    }
    policies.forEach(({ name }, at) => {
      const verdict = verdicts[at];
      const counts = comparison.verdicts[name];
      if (verdict && counts !== undefined) counts[verdict] += 1;
    });
    if (isReadable && one.index % 32 === 0) {
      comparison.changesTried += 1;
      const what = widenings(engine, one.command, verdicts);
      if (what.length > 0) add({ ...one, oracle: "widening", what, shortest: one.command });
    }
    return { ...one, verdicts, isReadable };
  };
  const add = (violation: Violation): void => {
    comparison.violations.push(violation);
    options.report?.(comparison, violation);
  };
  const work = async (): Promise<void> => {
    for (let one = take(); one !== null; one = take()) {
      const found = await lanes.run(one.command);
      if (found === null) comparison.lost += 1;
      else await judge(one, found);
      options.report?.(comparison, null);
    }
  };
  const judge = async (one: Decided, found: Observation): Promise<void> => {
    comparison.executed += 1;
    comparison.sources[one.source].executed += 1;
    if (one.isReadable) comparison.readableExecuted += 1;
    if (found.timedOut) comparison.timedOut += 1;
    if (one.verdicts.slice(0, -1).includes("allow")) comparison.allowedExecuted += 1;
    else if (harmOf(policies[0], found, lanes.places).length > 0) comparison.harmPrevented += 1;
    for (const oracle of ["grammar", "decision"] as const) {
      const what = symptoms(oracle, one.command, found);
      if (what.length === 0) continue;
      const key = what.map(keyOf).join("\n");
      const isSame = async (text: string): Promise<boolean> => {
        const again = await lanes.run(text);
        if (again === null) return false;
        return symptoms(oracle, text, again).map(keyOf).join("\n") === key;
      };
      const alike = comparison.violations.filter(
        (other) => other.what.map(keyOf).join("\n") === key,
      );
      const isWorthIt = alike.length < 2 && shrunk < shrinks;
      if (isWorthIt) shrunk += 1;
      const shortest = isWorthIt ? await shrink(one.command, isSame) : one.command;
      add({ index: one.index, source: one.source, command: one.command, oracle, what, shortest });
    }
  };
  const symptoms = (oracle: "grammar" | "decision", text: string, found: Observation): string[] => {
    if (oracle === "grammar") {
      const shell = engine.read(text);
      return shell === null ? [] : divergences(shell, found, lanes.places);
    }
    return policies.flatMap((policy) => {
      const harm = harmOf(policy, found, lanes.places);
      if (harm.length === 0 || engine.decide(policy, text) !== "allow") return [];
      return harm.map((one) => `${policy.name}: ${one}`);
    });
  };
  await Promise.all(Array.from({ length: lanes.width }, work));
  comparison.violations.sort((a, b) => a.index - b.index);
  return comparison;
}

/** The kind of a symptom, which stays the same while a command is shortened. */
function keyOf(what: string): string {
  return what.replace(/^(ran|read|write|list): .*$/s, "$1");
}

function shareOf({ verdicts, isReadable }: Decided, left: number): number {
  if (verdicts.slice(0, -1).includes("allow")) return left * 6;
  return isReadable ? left * 1.5 : left * 0.1;
}

function newComparison(seed: number): Comparison {
  const none = (): SourceFigures => ({ generated: 0, readable: 0, executed: 0 });
  return {
    seed,
    generated: 0,
    distinct: 0,
    readable: 0,
    executed: 0,
    readableExecuted: 0,
    allowedExecuted: 0,
    timedOut: 0,
    lost: 0,
    changesTried: 0,
    verdicts: Object.fromEntries(policies.map(({ name }) => [name, { allow: 0, ask: 0, deny: 0 }])),
    sources: Object.fromEntries(sourceNames.map((name) => [name, none()])) as Comparison["sources"],
    harmPrevented: 0,
    violations: [],
  };
}
