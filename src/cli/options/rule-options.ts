import { Option, type Command } from "commander";
import { permissionModes } from "../../contract/resolved-agent.ts";

/** Options for the rules of what may run unasked, and what must not. */
export function ruleOptions(command: Command): Command {
  return command
    .option(
      "--allowedTools, --allowed-tools <tools>",
      "rules for calls that run without asking: 'Bash(npm test *),Edit(src/**)' (repeatable)",
      collect,
      [],
    )
    .option(
      "--disallowedTools, --disallowed-tools <rules>",
      "rules for calls that are denied: 'Bash(git push *),Read(.env)' (repeatable)",
      collect,
      [],
    )
    .addOption(
      new Option(
        "--permission-mode <mode>",
        "mode that decides the main agent's calls that no rule decides; default: the setting permissions.defaultMode",
      ).choices([...permissionModes, "manual"]),
    )
    .addOption(
      new Option(
        "--child-permission-mode <mode>",
        "the mode of its children, which may allow more than its own",
      ).choices([...permissionModes]),
    );
}

/** Tools in one word or several options, separated by commas or blanks. */
function collect(text: string, before: string[]): string[] {
  return [...before, ...text.split(/[,\s]+(?![^(]*\))/).filter((tool) => tool !== "")];
}
