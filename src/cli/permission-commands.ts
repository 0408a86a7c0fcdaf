import type { Command } from "commander";
import { ruleOptions } from "./permission-options.ts";
import { here, json } from "./shared-options.ts";

export function addExplain(program: Command): void {
  ruleOptions(here(program.command("explain")))
    .description("say what an agent type is, or whether a call of it may run, and why")
    .argument("[type]", "the agent type; with --call and none, the main agent")
    .option("-c, --call <call>", "a call to decide on: 'Bash(git push)' or 'Tool({\"field\": …})'")
    .option("-a, --agent <type>", "the same as the argument")
    .option("--json", json)
    .addHelpText(
      "after",
      `
Runs nothing. Without --call: which file the type is, its model and each of its tools. With it: the
verdict, the rule and the file it stands in, the part of the command that decided, and every stage.

Examples:
  retinue explain Explore
  retinue explain --call 'Bash(git push)'
  retinue explain --call 'Edit(src/a.ts)' --agent general-purpose --allowedTools 'Edit(src/**)'`,
    )
    .action(async (type: string | undefined, options) => {
      const { explainCommand } = await import("./commands/explain.ts");
      await explainCommand(type, options);
    });
}

export function addPermissions(program: Command): void {
  const permissions = program.command("permissions").description("permission rules: test them");
  permissions
    .command("test")
    .description("hold cases against the decisions they expect; exit code 1 when one differs")
    .argument("<file>", "JSON: a list of cases, or {settings, cases}")
    .option("--json", json)
    .addHelpText(
      "after",
      `
A case is {"id", "tool", "input", "expect": "allow"|"ask"|"deny"} and, where needed, "why", "mode",
"rules": {"allow", "ask", "deny"}, "cwd", "additionalDirectories", "background", "fixture": [{"path",
"type": "file"|"dir"|"symlink", "content", "target"}]. {{P}}, {{H}} and {{O}} stand for a project, a
home directory and a place outside, made for each case. Nothing that a case calls is run.

To test your own policy: {"settings": ".claude/settings.json", "cases": […]} counts its rules in
every case. See docs/permissions.md.`,
    )
    .action(async (file: string, options) => {
      const { permissionsTestCommand } = await import("./commands/permissions.ts");
      await permissionsTestCommand(file, options);
    });
}
