import { RetinueError } from "../contract/errors.ts";
import { realPath } from "../platform/files/real-path.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { keptSince, retentionPeriod, unknownPeriod } from "../settings/retention-period.ts";
import { isTrusted } from "../settings/trust.ts";
import { projectDirectory } from "../transcript/paths.ts";

/**
 * The retention cutoff of a project's sessions. A cutoff that a person gives needs no settings; without one they must
 * be readable, else it throws `invalid_config`.
 */
export function oldBefore(place: {
  configDir: string;
  cwd: string;
  days?: number | undefined;
}): (projectDir: string) => number {
  const { configDir, days } = place;
  const now = Date.now();
  const cwd = realPath(place.cwd);
  const projectDir = realPath(projectDirectory(configDir, cwd));
  if (days !== undefined) {
    return keptSince({ kind: "known", here: days, elsewhere: days }, { projectDir, now });
  }
  const loaded = loadSettings({ cwd, configDir, trusted: isTrusted(cwd, configDir) });
  const period = retentionPeriod(loaded);
  if (period.kind === "known") return keptSince(period, { projectDir, now });
  throw new RetinueError(
    "invalid_config",
    `${unknownPeriod(period.problem)} To prune all the same, say 'retinue prune --days N'.`,
  );
}
