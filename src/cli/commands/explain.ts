import type { Command } from "commander";
import { loadSkills } from "../../definitions/skills.ts";
import { RetinueError } from "../../contract/errors.ts";
import { limitsFromEnvironment, limitsSchema } from "../../settings/settings.ts";
import type { PermissionMode } from "../../contract/resolved-agent.ts";
import { Environment } from "../../resolve/environment.ts";
import { explainAgent } from "../../resolve/explain.ts";
import { explanationLines } from "../views/explanation-lines.ts";
import { explainCallCommand, modesHere } from "../explain-call.ts";
import { readHere, type HereOptions } from "../run/read-here.ts";
import { backgroundDisabled } from "../../settings/background-disabled.ts";
import { createTools } from "../../tools/registry.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { ruleOptions } from "../options/rule-options.ts";
import { hereOptions, json } from "../options/shared-options.ts";

export interface ExplainOptions extends HereOptions {
  agent?: string;
  call?: string;
  allowedTools: string[];
  permissionMode?: PermissionMode | "manual";
  childPermissionMode?: PermissionMode;
  json?: boolean;
}

export function addExplain(program: Command): void {
  ruleOptions(hereOptions(program.command("explain")))
    .description("explain an agent type, or whether a tool call may run, and why")
    .argument("[type]", "agent type; with --call the default is the main agent")
    .option("-c, --call <call>", "a call to decide on: 'Bash(git push)' or 'Tool({\"field\": …})'")
    .option("-a, --agent <type>", "the same as the argument")
    .option("--json", json)
    .addHelpText(
      "after",
      `
Runs nothing. Without --call it shows the type's file, its model and each of its tools. With --call it shows
the verdict, the rule and its file, the part of the command that decided, and every stage.

Examples:
  retinue explain Explore
  retinue explain --call 'Bash(git push)'
  retinue explain --call 'Edit(src/a.ts)' --agent general-purpose --allowedTools 'Edit(src/**)'`,
    )
    .action(explainCommand);
}

/** `retinue explain`: what would become of a request for this type, or of a call of it, and why. Starts nothing. */
async function explainCommand(named: string | undefined, options: ExplainOptions): Promise<void> {
  const type = named ?? options.agent;
  if (options.agent !== undefined && options.agent !== type)
    throw usage(`'${named}' and --agent ${options.agent} are two types. Name one.`);
  if (options.call !== undefined) {
    return explainCallCommand(type, { ...options, call: options.call });
  }
  if (type === undefined)
    throw usage("Name an agent type, or a call: retinue explain --call 'Bash(git push)'.");
  const { configuration, catalog, diagnostics } = await readHere(options);
  const tools = createTools({
    defaultType: configuration.settings.agents.defaultType,
    canSearch: true,
    background: !backgroundDisabled(process.env),
  });
  const explanation = await explainAgent(type, {
    availableTools: [...tools.values()],
    catalog,
    diagnostics,
    skills: (await loadSkills(configuration.skillPlaces)).skills,
    settings: configuration.settings,
    limits: limitsSchema.parse(limitsFromEnvironment(process.env)),
    environment: new Environment({
      cwd: process.cwd(),
      configDir: defaultConfigDir(),
      now: Date.now(),
    }),
    subagentModel: process.env["CLAUDE_CODE_SUBAGENT_MODEL"],
    ...modesHere(options, configuration.settings),
    allowsBypass: false,
  });
  const { trusted } = configuration;
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify({ ...explanation, trusted }, null, 2)}\n`
      : `${explanationLines(explanation, { trusted, width: 100 }).join("\n")}\n`,
  );
}

function usage(message: string): RetinueError {
  return new RetinueError("invalid_request", message);
}
