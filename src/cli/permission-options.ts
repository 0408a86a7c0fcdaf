import { Option, type Command } from "commander";
import { permissionModes } from "../contract/resolved-agent.ts";
import { collect, seconds } from "./option-values.ts";

/** What may run, as a person says it for one run. */
export function ruleOptions(command: Command): Command {
  return command
    .option(
      "--allowedTools, --allowed-tools <tools>",
      "what may run unasked: 'Bash(npm test *),Edit(src/**)' (repeatable)",
      collect,
      [],
    )
    .option(
      "--disallowedTools, --disallowed-tools <rules>",
      "what must not run: 'Bash(git push *),Read(.env)' (repeatable)",
      collect,
      [],
    )
    .addOption(
      new Option(
        "--permission-mode <mode>",
        "how the main agent meets what no rule allows; without it the setting permissions.defaultMode",
      ).choices([...permissionModes, "manual"]),
    )
    .addOption(
      new Option(
        "--child-permission-mode <mode>",
        "the mode of its children, which may allow more than its own",
      ).choices([...permissionModes]),
    );
}

/** That, and who is asked about the rest. */
export function permissionOptions(command: Command): Command {
  return ruleOptions(command)
    .addOption(
      new Option(
        "--dangerously-skip-permissions",
        "the same as --permission-mode bypassPermissions: everything runs unasked",
      ).conflicts("permissionMode"),
    )
    .option(
      "--allow-dangerously-skip-permissions",
      "agent files may ask for the mode bypassPermissions",
    )
    .option(
      "--inbox",
      "what agents ask waits for 'retinue approve' in another terminal, if nobody answers here",
    )
    .option("--ask-timeout <seconds>", "what nobody answers in this time is denied", seconds);
}
