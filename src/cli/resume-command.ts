import type { Command } from "commander";
import { positive } from "./option-values.ts";
import { runOptions } from "./run/run-options.ts";

export function addResume(program: Command): void {
  runOptions(program.command("resume"))
    .description("go on with an agent that has ended or was interrupted, with its history")
    .argument("[id]", "id, beginning of an id, or name")
    .argument("[message...]", "what it is to do now; only one that has completed needs it")
    .option("--all", "every agent that was interrupted by the end of its process")
    .option("--branch", "leave it as it is, and go on with a copy that has an id of its own")
    .option("--turn <n>", "with --branch: from its nth answer on", positive)
    .addHelpText(
      "after",
      `
It goes on in the directory in which it ran, with the rules and options that it was started with, unless they are given
anew. The right to everything (bypassPermissions) and options with secrets in them are not kept: give them again.
A call that was under way when its process ended is not repeated: the agent reads that it was interrupted.

Examples:
  retinue resume a3f2 "Now fix what you found"
  retinue resume --all
  retinue resume a3f2 --branch --turn 3 --model opus`,
    )
    .action(async (id: string | undefined, message: string[], options) => {
      const { resumeCommand } = await import("./commands/resume.ts");
      await resumeCommand(id, message, options);
    });
}
