import { tmpdir } from "node:os";
import type { Command } from "commander";
import { socketDirectories } from "../../platform/private-socket.ts";
import { findOrphans, reapOrphans } from "../../processes/orphans.ts";
import { inspectTranscript } from "../../transcript/inspect.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { mustBePerson } from "../find/caller.ts";
import type { DoctorContext } from "../doctor/check.ts";
import { examine, type DoctorRow } from "../doctor/examine.ts";
import { exitCodes } from "../exit-codes.ts";
import { plural } from "../terminal/format.ts";
import { plainLine } from "../terminal/sanitize.ts";
import { createStyle, wantsColor, type Style } from "../terminal/style.ts";
import { json } from "../options/shared-options.ts";

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description("check this installation, and look for leftovers of crashes")
    .option(
      "--fix",
      "remove leftovers of crashes: processes, leases, sockets, locks, temporary files",
    )
    .option("--json", json)
    .addHelpText(
      "after",
      `
Never removes a transcript and never uses the network. Exit code 0: no problem, or all are fixed; 1: problems remain.`,
    )
    .action(doctorCommand);
}

/** `retinue doctor`: problems of this installation, leaks of crashes, and their remedies. */
async function doctorCommand(options: { fix?: boolean; json?: boolean }): Promise<void> {
  if (options.fix === true) await mustBePerson("remove leftovers of crashes");
  const rows = await Array.fromAsync(examine(groundHere(), { fix: options.fix === true }));
  if (options.json === true) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else report(rows);
  if (rows.some(({ status }) => status === "problem")) process.exitCode = exitCodes.failed;
}

function groundHere(): DoctorContext {
  const { env } = process;
  return {
    configDir: defaultConfigDir(),
    cwd: process.cwd(),
    env,
    temporaryDir: tmpdir(),
    socketDirs: socketDirectories(),
    orphans: { find: findOrphans, reap: () => reapOrphans() },
    inspectTranscript,
  };
}

/** The most rows of one check; `--json` has them all. */
const mostRows = 10;

function report(rows: readonly DoctorRow[]): void {
  const { isTTY } = process.stdout;
  const style = createStyle(wantsColor({ choice: "auto", environment: process.env, isTTY }));
  for (const [, group] of Map.groupBy(rows, ({ check }) => check)) {
    const shown = group.slice(0, mostRows);
    for (const row of shown) process.stdout.write(lineOf(row, style));
    const more = group.length - shown.length;
    if (more > 0) process.stdout.write(style.dim(`  … ${more} more; --json lists them all\n`));
  }
  process.stderr.write(`retinue: ${summary(rows)}.\n`);
}

function summary(rows: readonly DoctorRow[]): string {
  const count = (wanted: DoctorRow["status"]): number =>
    rows.filter(({ status }) => status === wanted).length;
  return [
    plural(count("problem"), "problem"),
    plural(count("warning"), "warning"),
    ...(count("fixed") > 0 ? [`${count("fixed")} fixed`] : []),
  ].join(", ");
}

function lineOf({ check, status, what, remedy }: DoctorRow, style: Style): string {
  const glyph = {
    ok: style.green("✓"),
    fixed: style.green("✓"),
    warning: style.yellow("!"),
    problem: style.red("✗"),
  }[status];
  const did = status === "fixed" ? "removed " : "";
  const advice = remedy === undefined ? "" : `    ${style.dim(plainLine(remedy))}\n`;
  return `${glyph} ${style.bold(check)}  ${did}${plainLine(what)}\n${advice}`;
}
