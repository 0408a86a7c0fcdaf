import type { Figure } from "./figures.ts";
import type { DecisionTimes } from "./permissions.ts";
import type { ScaleFigure } from "./scale.ts";
import type { Spread } from "./statistics.ts";

/** The findings of a bench. Plain data: `--json` prints it unchanged. */
export interface Report {
  date: string;
  node: string;
  cores: number;
  runs: number;
  latencyMs: number;
  /** The directory that the programs wrote to. */
  scratch: string;
  figures: Record<string, Figure>;
  /** Requests and children at once, of the last run that counted. */
  counts: Record<string, Counts>;
  /** Number of definitions → milliseconds until one that changed is loaded again. */
  oneDefinitionChanged: Record<string, Spread | null>;
  /** Times of the decision whether a command may run. */
  decisions?: DecisionTimes;
  /** Many agents and long conversations, each figure beside its bar. */
  scale?: Record<string, ScaleFigure>;
  /** Agent type → bytes of its first request. */
  firstRequestBytes: Record<string, number>;
  /** Every reason why a run did not count; with any, the bench has failed. */
  failures: string[];
}

export interface Counts {
  requests: { floor: number; retinue: number };
  childrenAtOnce: { floor: number; retinue: number };
}

export function asText(report: Report): string {
  const { date, node, cores, runs, latencyMs, scratch } = report;
  const head = `${date}  Node ${node}  ${cores} cores  median (min–max) of ${runs} runs  ${latencyMs} ms a request  files in ${scratch}`;
  const figures = Object.values(report.figures).map((figure) => {
    const { title, unit, floor, retinue, ratio, bar = null } = figure;
    const isSize = unit === "MiB";
    return [
      title,
      withSpread(floor, unit),
      withSpread(retinue, unit),
      isSize ? "" : withSpread(ratio, "×"),
      ...besideBar(isSize ? retinue : ratio, bar),
    ];
  });
  const counts = Object.entries(report.counts).map(([name, { requests, childrenAtOnce }]) => [
    name,
    `${requests.floor} / ${requests.retinue}`,
    `${childrenAtOnce.floor} / ${childrenAtOnce.retinue}`,
  ]);
  const bytes = Object.entries(report.firstRequestBytes).map(([type, size]) => [
    type,
    String(size),
  ]);
  const changed = Object.entries(report.oneDefinitionChanged).map(([count, spread]) => [
    count,
    withSpread(spread, "ms"),
  ]);
  const sections = [
    head,
    table(["", "floor", "retinue", "ratio", "bar", ""], figures),
    table(["floor / retinue", "requests", "children at once"], counts),
    table(["definitions", "one of them changed"], changed),
    ...(report.decisions === undefined ? [] : decisionTables(report.decisions)),
    scaleTable(report.scale ?? {}),
    table(["first request of", "bytes"], bytes),
    failureText(report.failures),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function scaleTable(figures: Record<string, ScaleFigure>): string {
  const rows = Object.values(figures).map(({ title, unit, floor, retinue, value, bar }) => [
    title,
    floor === undefined ? "" : withSpread(floor, unit),
    retinue === undefined ? "" : withSpread(retinue, unit),
    value === retinue ? "" : withSpread(value, "×"),
    ...besideBar(value, bar),
  ]);
  return table(["scale", "floor or before", "retinue or after", "figure", "bar", ""], rows);
}

function besideBar(value: Spread | null, bar: number | null): string[] {
  if (bar === null) return ["", ""];
  return [`≤ ${bar}`, value === null ? "" : value.value <= bar ? "met" : "OVER"];
}

function decisionTables({ ordinary, hostile }: DecisionTimes): string[] {
  const ms = (value: number): string => `${value.toFixed(3)} ms`;
  const worst = Object.entries(hostile).toSorted(([, one], [, other]) => other - one);
  return [
    table(
      ["decision about an ordinary command", ""],
      [
        ["median", ms(ordinary.p50)],
        ["p99", ms(ordinary.p99)],
        ["worst", ms(ordinary.worst)],
      ],
    ),
    table(
      ["decision about a hostile command", "worst"],
      worst.map(([name, value]) => [name, ms(value)]),
    ),
  ];
}

/** A text table; empty without rows. The first column is flush left, the others flush right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all
    .map((row) =>
      widths
        .map((width, column) => {
          const cell = row[column] ?? "";
          return column === 0 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function withSpread(spread: Spread | null, unit: string): string {
  if (spread === null) return "no run counted";
  const { value, low, high } = spread;
  return `${short(value)} ${unit} (${short(low)}–${short(high)})`;
}

/** The value with three significant digits. */
function short(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

function failureText(failures: readonly string[]): string {
  const grouped = Map.groupBy(failures, (failure) => failure);
  const lines = [...grouped].map(([failure, all]) => `FAILED ${all.length}× ${failure}`);
  return lines.join("\n");
}
