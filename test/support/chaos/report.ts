import type { Weathered } from "./storm.ts";

/** The figures of a storm, one per line. */
export function reportLines(sessions: readonly Weathered[], agents: number): string[] {
  const sum = (figure: (one: Weathered) => number): number =>
    sessions.reduce((total, one) => total + figure(one), 0);
  const finished = sessions.map((one) => one.finished.length);
  const figure = (name: string, value: number | string): string => `${name.padEnd(55)}${value}`;
  return [
    figure(
      "kills",
      sum((one) => one.kills),
    ),
    figure("sessions", sessions.length),
    figure(
      "acknowledged messages",
      sum((one) => one.acknowledged),
    ),
    figure(
      "acknowledged messages lost",
      sum((one) => one.lost.length + one.untold.length),
    ),
    figure(
      "messages told twice",
      sum((one) => one.toldTwice.length),
    ),
    figure(
      "tool effects repeated",
      sum((one) => one.repeated.length),
    ),
    figure(
      "effects missing without an `interrupted` result",
      sum((one) => one.missing.length),
    ),
    figure(
      "effects of calls that no transcript knows",
      sum((one) => one.unknown.length),
    ),
    figure(
      "calls without exactly one result",
      sum((one) => one.unanswered.length),
    ),
    figure(
      "calls told to be interrupted",
      sum((one) => one.interrupted),
    ),
    figure(
      "agents started twice",
      sum((one) => one.doubles.length),
    ),
    figure(
      "processes left by an earlier life after a resume",
      sum((one) => one.orphans),
    ),
    figure("agents finished, in the worst session", `${Math.min(...finished)} of ${agents}`),
    figure(
      "torn tails repaired",
      `${sum((one) => one.repaired)} (torn by a kill: ${sum((one) => one.tails.byKill)}, on purpose: ${sum((one) => one.tails.onPurpose)})`,
    ),
  ];
}

/** What is not as it must be, with the directory of its session. */
export function complaints(sessions: readonly Weathered[], agents: number): string[] {
  return sessions.flatMap((one) => {
    const found = Object.entries({
      lost: one.lost.map((lost) => JSON.stringify(lost)),
      untold: one.untold,
      "told twice": one.toldTwice,
      repeated: one.repeated,
      missing: one.missing,
      unknown: one.unknown,
      "without one result": one.unanswered,
      "started twice": one.doubles,
      "not started": one.refused,
      orphans: one.orphans > 0 ? [String(one.orphans)] : [],
      finished: one.finished.length < agents ? [`only ${one.finished.join(" ")}`] : [],
      hidden: one.hidden,
      "still torn": one.stillTorn,
      troubles: one.troubles,
    });
    return found.flatMap(([what, names]) =>
      names.length === 0 ? [] : [`${one.directory}: ${what}: ${names.slice(0, 10).join(", ")}`],
    );
  });
}
