import { Option, type Command } from "commander";
import { append } from "./option-values.ts";

/** Options that decide which agent types there are. */
export function hereOptions(command: Command): Command {
  return command
    .option("--agents <json>", 'agent types: \'{"name": {"description": …, "prompt": …}}\'')
    .option("--settings <file-or-json>", "settings that override those of files")
    .option(
      "--plugin-dir <directory>",
      "directory of a plugin or a marketplace (repeatable)",
      append,
      [],
    )
    .option(
      "--add-dir <directory>",
      "a folder whose .claude/agents are used too (repeatable)",
      append,
      [],
    )
    .option("--lenient", "also read agent files that other programs refuse");
}

/** An option of commands that print an agent's text. */
export const raw = (): Option =>
  new Option("--raw", "keep control sequences in the result, unless stdout is a terminal");

export const color = (): Option =>
  new Option("--color <when>", "colour the output")
    .choices(["always", "never", "auto"])
    .default("auto");

export const json = "print one JSON document";

/** Ways to name an agent on the command line. */
export const which = "id, prefix of an id, or name";

export const onlyRunning = `
An agent that has ended or was interrupted is refused: 'retinue resume' resumes it.`;

export const requestsElsewhere = `
Looks for requests below the config directory (CLAUDE_CONFIG_DIR, by default ~/.claude). Programs that store their
transcripts elsewhere (configDir, transcriptDir) answer their own requests.`;
