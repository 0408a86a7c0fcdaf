import type { Command } from "commander";
import { append, positive } from "./option-values.ts";
import { color, json, raw } from "./shared-options.ts";

export function addPs(program: Command): void {
  program
    .command("ps")
    .description("list agents that have not ended, of all processes")
    .option("-a, --all", "ended ones too")
    .option("-q, --quiet", "ids only")
    .option(
      "--filter <key=value>",
      "state, type, name, session, parent, model or cwd (repeatable)",
      append,
      [],
    )
    .option("--watch", "again and again, until Ctrl+C")
    .option("--json", json)
    .action(async (options) => {
      const { psCommand } = await import("./commands/ps.ts");
      await psCommand(options);
    });
}

export function addLogs(program: Command): void {
  program
    .command("logs")
    .description("show the transcript of an agent")
    .argument("<id>", "id, beginning of an id, or name")
    .option("-f, --follow", "go on until the agent ends")
    .option("-n, --lines <n>", "the last n entries only", positive)
    .option("--json", "the lines as they are on disk")
    .addOption(color())
    .action(async (id: string, options) => {
      const { logsCommand } = await import("./commands/logs.ts");
      await logsCommand(id, options);
    });
}

export function addOutput(program: Command): void {
  program
    .command("output")
    .description("print the result of an agent, or what it said last")
    .argument("<id>", "id, beginning of an id, or name")
    .option("--json", json)
    .addOption(raw())
    .action(async (id: string, options) => {
      const { outputCommand } = await import("./commands/output.ts");
      await outputCommand(id, options);
    });
}
