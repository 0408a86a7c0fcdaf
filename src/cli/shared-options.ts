import { Option, type Command } from "commander";
import { append } from "./option-values.ts";

/** What says which agent types there are. */
export function here(command: Command): Command {
  return command
    .option("--agents <json>", 'agent types: \'{"name": {"description": …, "prompt": …}}\'')
    .option("--settings <file-or-json>", "settings over those of files")
    .option(
      "--plugin-dir <directory>",
      "a plugin, or a marketplace of them (repeatable)",
      append,
      [],
    )
    .option(
      "--add-dir <directory>",
      "a folder whose .claude/agents count too (repeatable)",
      append,
      [],
    )
    .option("--lenient", "also read agent files that other programs refuse");
}

export const json = "print one JSON document";

/** For commands that print the words of an agent. */
export const raw = (): Option =>
  new Option("--raw", "keep control sequences in the result, unless stdout is a terminal");

export const color = (): Option =>
  new Option("--color <when>", "colour the output")
    .choices(["always", "never", "auto"])
    .default("auto");
