import { Option, type Command } from "commander";
import { append, positive, seconds } from "./option-values.ts";
import { ruleOptions } from "./rule-options.ts";
import { color, hereOptions, raw } from "./shared-options.ts";

/** The options of every run, a new one or one that is resumed. */
export function runOptions(command: Command): Command {
  return permissionOptions(hereOptions(command))
    .option("-p, --print", "print the result only")
    .option("-d, --detach", "run without this terminal, and print the agent's id (--bg)")
    .addOption(new Option("--bg").implies({ detach: true }).hideHelp())
    .addOption(new Option("--detached-log <file>").hideHelp())
    .addOption(
      new Option("--output-format <format>", "what goes to stdout")
        .choices(["text", "json", "stream-json"])
        .default("text"),
    )
    .option("--json", "the same as --output-format json; with -d: id, process, transcript and log")
    .addOption(raw())
    .option("--include-partial-messages", "with stream-json: pieces of text as they arrive")
    .option("--model <model>", "model: sonnet, opus, haiku or an id")
    .option("--max-turns <n>", "turns before the agent must report", positive)
    .option("--timeout <seconds>", "longest time that the agent may run (default 1800)", seconds)
    .option(
      "--redact <text>",
      "a text or /regex/ to redact from records and output (repeatable)",
      append,
      [],
    )
    .addOption(
      new Option(
        "--rehearse <file>",
        "answer from a scenario instead of a model; tools are real",
      ).env("RETINUE_REHEARSE"),
    )
    .option("-q, --quiet", "no progress on stderr")
    .addOption(color());
}

/** Options for the rules, and for who answers the requests that they leave open. */
function permissionOptions(command: Command): Command {
  return ruleOptions(command)
    .addOption(
      new Option(
        "--dangerously-skip-permissions",
        "the same as --permission-mode bypassPermissions: everything runs unasked",
      ).conflicts("permissionMode"),
    )
    .option(
      "--allow-dangerously-skip-permissions",
      "let agent files use the mode bypassPermissions",
    )
    .option(
      "--inbox",
      "questions that are not answered here wait for 'retinue approve' in another terminal",
    )
    .option(
      "--ask-timeout <seconds>",
      "deny a question that is not answered in this time",
      seconds,
    );
}
