import type { Diagnostic } from "../contract/diagnostic.ts";
import { checkSettings } from "./check-settings.ts";
import type { LoadedSettings } from "./load-settings.ts";
import type { Scope } from "./scopes.ts";

export type RetentionPeriod =
  | {
      kind: "known";
      /** Days for the project of these settings. */
      here: number;
      /** Days for all others: a project does not decide about the transcripts of another. */
      elsewhere: number;
    }
  /** The file that may set it cannot be read, so its owner's wish is unknown. */
  | { kind: "unknown"; problem: Diagnostic };

/** The number of days that transcripts are kept. `diagnostics`: those of settings files alone. */
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

/** The retention cutoff: sessions last used before this time have been kept long enough. */
export function keptSince(
  period: Extract<RetentionPeriod, { kind: "known" }>,
  { projectDir, now }: { projectDir: string; now: number },
): (directory: string) => number {
  return (directory) => now - (directory === projectDir ? period.here : period.elsewhere) * day;
}

/** The reason why nothing is removed, and the remedy, for display. */
export function unknownPeriod({ file, line, message }: Diagnostic): string {
  return `Old sessions are kept, because ${file}:${line} cannot be used and may set the retention period: ${message}`;
}
