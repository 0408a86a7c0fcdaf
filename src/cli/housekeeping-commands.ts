import type { Command } from "commander";
import { positive } from "./option-values.ts";
import { json } from "./shared-options.ts";

export function addRemove(program: Command): void {
  program
    .command("rm")
    .alias("remove")
    .description("delete ended agents: transcript, results, outputs")
    .argument("<id...>", "ids, beginnings of ids, or names")
    .option("--json", json)
    .addHelpText(
      "after",
      `
An agent that has not ended is refused, and so is the main agent of one; one that was interrupted goes, and cannot be resumed
any more. With the last agent of a session the whole session goes. If one cannot be removed, the others are all the same. The exit code is then that of the first
that was not: 3 when there is no such agent, 2 when several may be meant, otherwise 1.`,
    )
    .action(async (ids: string[], options) => {
      const { removeCommand } = await import("./commands/rm.ts");
      await removeCommand(ids, options);
    });
}

export function addPrune(program: Command): void {
  program
    .command("prune")
    .description("delete sessions that have been kept long enough")
    .option("--days <n>", "older than n days, in all projects, whatever settings say", positive)
    .option("-n, --dry-run", "only say what would go")
    .option("--json", json)
    .addHelpText(
      "after",
      `
Without --days the setting cleanupPeriodDays decides (default 30). The same happens by itself once a day. Sessions of
other programs, and those that a process works in, are left alone.`,
    )
    .action(async (options) => {
      const { pruneCommand } = await import("./commands/prune.ts");
      await pruneCommand(options);
    });
}

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description("check this installation, and what crashes left behind")
    .option("--fix", "remove what crashes left: processes, leases, sockets, locks, temporary files")
    .option("--json", json)
    .addHelpText(
      "after",
      `
Never removes a transcript, and asks nothing of the network. Exit code 0: nothing is wrong, or all of it is fixed;
1: problems are left.`,
    )
    .action(async (options) => {
      const { doctorCommand } = await import("./commands/doctor.ts");
      await doctorCommand(options);
    });
}
