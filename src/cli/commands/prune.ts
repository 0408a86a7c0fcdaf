import type { Command } from "commander";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { prune, type OldSession, type Pruned } from "../../transcript/retention.ts";
import { mustBePerson } from "../find/caller.ts";
import { table } from "../terminal/columns.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatBytes, plural } from "../terminal/format.ts";
import { oldBefore } from "../old-before.ts";
import { plain, plainLine } from "../terminal/sanitize.ts";
import { positive } from "../options/option-values.ts";
import { json } from "../options/shared-options.ts";

interface PruneOptions {
  days?: number;
  dryRun?: boolean;
  json?: boolean;
}

export function addPrune(program: Command): void {
  program
    .command("prune")
    .description("delete sessions that are older than the retention period")
    .option(
      "--days <n>",
      "delete sessions older than n days in all projects, whatever the settings say",
      positive,
    )
    .option("-n, --dry-run", "list what would be deleted, and delete nothing")
    .option("--json", json)
    .addHelpText(
      "after",
      `
Without --days, the setting cleanupPeriodDays decides (default 30). Retinue also prunes by itself once a day. Sessions of
other programs and sessions in use are kept.`,
    )
    .action(pruneCommand);
}

/** `retinue prune`: deletes old sessions now. */
async function pruneCommand(options: PruneOptions): Promise<void> {
  if (options.dryRun !== true) await mustBePerson("remove sessions");
  const configDir = defaultConfigDir();
  const pruned = await prune({
    configDir,
    before: oldBefore({ configDir, cwd: process.cwd(), days: options.days }),
    dryRun: options.dryRun === true,
    signal: new AbortController().signal,
  });
  if (options.json === true) {
    const { removed, inUse, failed } = pruned;
    const dryRun = options.dryRun === true;
    process.stdout.write(`${JSON.stringify({ dryRun, removed, inUse, failed }, null, 2)}\n`);
  } else report(pruned, options);
  if (pruned.failed.length > 0) process.exitCode = exitCodes.failed;
}

function report({ removed, inUse, failed }: Pruned, options: PruneOptions): void {
  if (removed.length > 0) {
    const rows = [headings, ...removed.map(tableRow)];
    process.stdout.write(table(rows));
  }
  const bytes = formatBytes(removed.reduce((sum, session) => sum + session.bytes, 0));
  const count = plural(removed.length, "session");
  process.stderr.write(
    removed.length === 0
      ? "No session is old enough.\n"
      : `${count}, ${bytes}: ${options.dryRun === true ? "nothing is removed in a dry run" : "removed"}.\n`,
  );
  for (const { sessionId } of inUse)
    process.stderr.write(`retinue: ${plain(sessionId)} is old, but a process uses it.\n`);
  for (const { path, error } of failed)
    process.stderr.write(`retinue: ${plain(path)} could not be removed: ${plain(error)}\n`);
}

const headings = ["SESSION", "LAST USED", "AGENTS", "SIZE", "PROJECT"];

function tableRow({ sessionId, lastUsed, agents, bytes, projectDir }: OldSession): string[] {
  const date = new Date(lastUsed).toISOString().slice(0, 10);
  return [sessionId, date, String(agents), formatBytes(bytes), projectDir].map((text) =>
    plainLine(text),
  );
}
