import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { refuseLostRules, type Configuration } from "../session/configuration.ts";
import type { Catalog } from "../definitions/catalog.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import type { ModeRecord, PermissionMode } from "../contract/resolved-agent.ts";
import { mainDefinition } from "../session/open-session.ts";
import { Grants } from "../inbox/grants.ts";
import { parseAllowedTools } from "../permissions/rules/allowed-tools.ts";
import {
  additionalDirectories,
  modeBySettings,
  rulesOfSettings,
} from "../permissions/rules/from-settings.ts";
import { optionName } from "../permissions/rules/option-settings.ts";
import { parseCall } from "../permissions/parse-call.ts";
import { realPath } from "../platform/files/real-path.ts";
import { sessionWorkspace } from "../resolve/workspace.ts";
import { Environment } from "../resolve/environment.ts";
import { explainCall, type CallExplanation } from "../resolve/explain-call.ts";
import { sessionMode } from "../resolve/permission-mode.ts";
import { backgroundDisabled } from "../settings/background-disabled.ts";
import { projectFolder } from "../settings/project-folder.ts";
import { limitsFromEnvironment, limitsSchema, type Settings } from "../settings/settings.ts";
import { createTools } from "../tools/registry.ts";
import { defaultConfigDir } from "../transcript/paths.ts";
import type { ExplainOptions } from "./commands/explain.ts";
import { decisionData, decisionRows } from "./views/decision-lines.ts";
import { labelledLines } from "./views/labelled-lines.ts";
import { literalLine } from "./terminal/literal.ts";
import { readHere } from "./run/read-here.ts";

/** `retinue explain --call`: whether the call would run in this folder, and every stage of the decision. */
export async function explainCallCommand(
  type: string | undefined,
  options: ExplainOptions & { call: string },
): Promise<void> {
  const call = parseCall(options.call);
  const { configuration, catalog } = await readHere(options);
  refuseLostRules(configuration);
  const { settings, trusted } = configuration;
  const { mode, childMode } = modesHere(options, settings);
  const cwd = realpathSync(process.cwd());
  const configDir = resolve(defaultConfigDir());
  const environment = new Environment({ cwd, configDir, now: Date.now() });
  const main = type ?? settings.agent;
  const grants = new Grants({ cwd, configDir, now: () => Date.now() });
  const { defaultType } = settings.agents;
  const background = !backgroundDisabled(process.env);
  const explained = await explainCall(call, {
    definition: main === undefined ? await mainDefinition() : found(main, catalog),
    isMain: type === undefined,
    catalog,
    meets: { permissions: permissionsOf(configuration, options), mode },
    surroundings: {
      settings,
      limits: limitsSchema.parse(limitsFromEnvironment(process.env)),
      environment,
      availableTools: [...createTools({ defaultType, canSearch: true, background }).values()],
      project: projectFolder(cwd),
      trusted,
      workspace: sessionWorkspace(environment, additionalDirectories(settings, cwd)),
      own: [...new Set([configDir, realPath(configDir)])],
      readable: [],
      allowsBypass: false,
      childMode,
    },
    grants: (holder) => grants.rulesFor({ id: "", ...holder }, { session: false }),
  });
  const lines = callLines(explained, trusted);
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify({ ...explained, ...decisionData(explained), trusted }, null, 2)}\n`
      : `${lines.join("\n")}\n`,
  );
}

/** The modes that `retinue run` gives to its agents with these options. Throws where the settings forbid one, as a run does. */
export function modesHere(
  options: ExplainOptions,
  settings: Settings,
): { mode: ModeRecord; childMode: PermissionMode | undefined } {
  const { permissionMode, childPermissionMode } = options;
  const given = permissionMode === "manual" ? "default" : permissionMode;
  return {
    mode: sessionMode(modeBySettings(given, settings)),
    childMode: childPermissionMode && modeBySettings(childPermissionMode, settings),
  };
}

function found(type: string, catalog: Catalog): AgentDefinition {
  const definition = catalog.find(type);
  if (definition === undefined) throw catalog.notFound(type);
  return definition;
}

/** The rules that `retinue run` gives to the agents that it starts. */
function permissionsOf(
  configuration: Configuration,
  { allowedTools }: ExplainOptions,
): Parameters<typeof explainCall>[1]["meets"]["permissions"] {
  const given = parseAllowedTools(allowedTools, optionName("allowedTools", "cli"));
  return {
    rules: [...rulesOfSettings(configuration), ...given],
    takesSessionGrants: true,
    confined: [],
  };
}

function callLines(explained: CallExplanation, trusted: boolean): string[] {
  const { agent, call, missing, mode, decision } = explained;
  const input = JSON.stringify(call.input);
  const folder = trusted ? "" : "; this folder is not trusted: its allow rules do not count";
  const ask = "ask: a person decides; denied if no person can be asked";
  const verdict = decision.verdict === "ask" ? ask : decision.verdict;
  return labelledLines(
    [
      ["call", [literalLine(`${call.tool} ${input}`)]],
      ["tool", missing === null ? [] : [literalLine(`${agent} has no ${call.tool}: ${missing}`)]],
      [
        "verdict",
        [missing === null ? verdict : `the agent cannot call it; the rules would say ${verdict}`],
      ],
      ["agent", [literalLine(agent)]],
      [
        "mode",
        [
          `${mode.mode}  (from: ${mode.from})${folder}`,
          ...(mode.refused === null ? [] : [literalLine(mode.refused)]),
        ],
      ],
      ...decisionRows(explained),
    ],
    100,
  );
}
