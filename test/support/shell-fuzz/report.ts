import type { Compared, Comparison } from "./compare.ts";

/** The figures, one on each line. */
export function figures(comparison: Comparison, confinement: string): string[] {
  const { seed, compared, timedOut, verdicts, plain, harmPrevented, violations } = comparison;
  const refused = verdicts.ask + verdicts.deny;
  return [
    `seed ${seed}: ${compared} commands generated, decided, and run by real bash (${timedOut} cut off after their time; ${confinement})`,
    `decisions: ${verdicts.allow} allow, ${verdicts.ask} ask, ${verdicts.deny} deny`,
    `not allowed, and would have run or written what it must not: ${harmPrevented} of ${refused}`,
    `made only of allowed programs, and allowed: ${percent(allowedShare(comparison))} (${plain - comparison.plainNotAllowed.length} of ${plain})`,
    `executed against the decision: ${violations.length}`,
  ];
}

/** How many of the commands that ought to be allowed are: asking always is no answer. */
export function allowedShare({ plain, plainNotAllowed }: Comparison): number {
  return plain === 0 ? 0 : (plain - plainNotAllowed.length) / plain;
}

/** What a reader needs to see each violation again. */
export function violationLines({ seed, violations }: Comparison): string[] {
  return violations
    .slice(0, mostShown)
    .flatMap((one) => [
      `VIOLATION seed ${seed} command ${one.index}: ${one.verdict}, but ${deeds(one)}`,
      `  ${JSON.stringify(one.command.slice(0, 1000))}`,
      ...(one.shortest === one.command
        ? []
        : [`  shrunk: ${JSON.stringify(one.shortest.slice(0, 1000))}`]),
    ]);
}

/** Some of what was not allowed though it could be, shortest first: the causes show there. */
export function sampleLines({ plainNotAllowed }: Comparison): string[] {
  const lines = plainNotAllowed.map(
    ({ verdict, command }) => `not allowed (${verdict}): ${JSON.stringify(command.slice(0, 300))}`,
  );
  return [...new Set(lines)].sort((a, b) => a.length - b.length).slice(0, mostShown);
}

const mostShown = 20;

function deeds({ ran, changed }: Compared): string {
  const parts = [
    ...(ran.length > 0
      ? [
          `ran ${ran
            .slice(0, 8)
            .map((one) => JSON.stringify(one))
            .join(", ")}`,
        ]
      : []),
    ...(changed.length > 0 ? [`wrote ${changed.slice(0, 8).join(", ")}`] : []),
  ];
  return parts.join(" and ");
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
