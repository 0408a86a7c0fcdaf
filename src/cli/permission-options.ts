import { Option, type Command } from "commander";
import { permissionModes } from "../resolved-agent.ts";
import { collect, seconds } from "./option-values.ts";

/** What may run, as a person says it for one run. */
export function ruleOptions(command: Command): Command {
  return command
    .option(
      "--allowedTools, --allowed-tools <tools>",
      "tools that may run unasked: Bash,Edit (repeatable)",
      collect,
      [],
    )
    .option(
      "--disallowedTools, --disallowed-tools <rules>",
      "rules that forbid, as in the setting permissions.deny (repeatable)",
      collect,
      [],
    )
    .addOption(
      new Option(
        "--permission-mode <mode>",
        "how agents meet what no rule allows; without it the setting permissions.defaultMode",
      ).choices([...permissionModes, "manual"]),
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
