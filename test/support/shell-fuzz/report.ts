import type { Comparison, Oracle, Violation } from "./compare.ts";

const oracles: readonly (readonly [Oracle, string])[] = [
  ["grammar", "readable, and bash did what the grammar did not name"],
  ["decision", "executed, opened or written against the decision"],
  ["widening", "allowed after a change that must not allow"],
];

/** The figures, one on each line. */
export function figures(comparison: Comparison, confinement: string): string[] {
  const { seed, generated, distinct, readable, executed, timedOut, lost } = comparison;
  return [
    `seed ${seed}: ${generated} commands generated, ${distinct} distinct: ${readable} readable, ${distinct - readable} opaque`,
    ...Object.entries(comparison.verdicts).map(
      ([name, { allow, ask, deny }]) =>
        `decided (${name}): ${allow} allow, ${ask} ask, ${deny} deny`,
    ),
    ...Object.entries(comparison.sources).map(
      ([name, one]) =>
        `source ${name}: ${one.generated} generated, ${one.readable} readable, ${one.executed} executed`,
    ),
    `executed by real bash under strace: ${executed} (${comparison.readableExecuted} readable, ${comparison.allowedExecuted} allowed; ${timedOut} cut off after their time, ${lost} lost; ${confinement})`,
    `not allowed, and would have done harm: ${comparison.harmPrevented}`,
    `changes of a command or of the rules tried: ${comparison.changesTried}`,
    ...oracles.map(([oracle, name]) => `${name}: ${countOf(comparison, oracle)}`),
  ];
}

function countOf({ violations }: Comparison, wanted: Oracle): number {
  return violations.filter(({ oracle }) => oracle === wanted).length;
}

/** The lines with which a reader sees a violation again. */
export function violationLines({
  seed,
  violations,
}: Pick<Comparison, "seed" | "violations">): string[] {
  return violations.slice(0, mostShown).flatMap((one) => linesOf(seed, one));
}

const mostShown = 40;

function linesOf(seed: number, one: Violation): string[] {
  return [
    `VIOLATION (${one.oracle}) seed ${seed} command ${one.index} (${one.source}): ${one.what.slice(0, 6).join("; ")}`,
    `  ${JSON.stringify(one.command.slice(0, 1000))}`,
    ...(one.shortest === one.command
      ? []
      : [`  shrunk: ${JSON.stringify(one.shortest.slice(0, 1000))}`]),
  ];
}
