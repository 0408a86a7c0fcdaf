import type { Diagnostic } from "../contract/diagnostic.ts";
import { checkSettings } from "./check-settings.ts";
import type { LoadedSettings } from "./load-settings.ts";
import type { Scope } from "./scopes.ts";

export type RetentionPeriod =
  | {
      kind: "known";
      /** For the project whose settings these are. */
      here: number;
      /** For all others: a project does not say what becomes of the transcripts of another. */
      elsewhere: number;
    }
  /** What would say it cannot be read, so nobody knows how long its owner wants to keep things. */
  | { kind: "unknown"; problem: Diagnostic };

/** How many days transcripts are kept. `diagnostics`: those of settings files alone. */
export function retentionPeriod({
  settings,
  files,
  diagnostics,
}: Pick<LoadedSettings, "settings" | "files" | "diagnostics">): RetentionPeriod {
  const problem = diagnostics.find(
    ({ code, severity, field }) =>
      code === "unreadable" || (severity === "error" && field === "cleanupPeriodDays"),
  );
  if (problem !== undefined) return { kind: "unknown", problem };
  const said = files
    .filter(({ scope }) => speaksForAll.has(scope))
    .map(({ values }) => values["cleanupPeriodDays"])
    .find((value) => typeof value === "number");
  const elsewhere = said ?? checkSettings({}).settings.cleanupPeriodDays;
  return { kind: "known", here: settings.cleanupPeriodDays, elsewhere };
}

const speaksForAll: ReadonlySet<Scope> = new Set(["managed", "command-line", "user"]);

const day = 86_400_000;

/** What was last used before this time has been kept long enough. */
export function keptSince(
  period: Extract<RetentionPeriod, { kind: "known" }>,
  { projectDir, now }: { projectDir: string; now: number },
): (directory: string) => number {
  return (directory) => now - (directory === projectDir ? period.here : period.elsewhere) * day;
}

/** For people: why nothing is removed, and what to do. */
export function unknownPeriod({ file, line, message }: Diagnostic): string {
  return `Old sessions are kept, because ${file}:${line} may say how long: ${message}`;
}
