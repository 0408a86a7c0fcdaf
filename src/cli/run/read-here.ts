import { readFileSync } from "node:fs";
import { catalogOf, readConfiguration, type Configuration } from "../../session/configuration.ts";
import type { Catalog } from "../../definitions/catalog.ts";
import type { Diagnostic } from "../../contract/diagnostic.ts";
import { errorMessage, RetinueError } from "../../contract/errors.ts";
import { programmaticDefinitions } from "../../session/open-session.ts";
import { optionSettings } from "../../permissions/rules/option-settings.ts";
import { isObject } from "../../platform/is-object.ts";
import { silentLogger } from "../../platform/logger.ts";
import { parseOwnSecret } from "../../redact/own-patterns.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { parseAgents } from "./parse-agents.ts";

/** The options of every command that reads agent types. */
export interface HereOptions {
  agents?: string;
  settings?: string;
  pluginDir?: string[];
  addDir?: string[];
  lenient?: boolean;
  /** Rules that forbid, on top of all others. */
  disallowedTools?: string[];
  /** Texts and expressions that are secret, on top of all others. */
  redact?: string[];
}

/** Reads configuration and agent types of the current directory, as `retinue run` would. Starts nothing. */
export async function readHere(
  options: HereOptions,
): Promise<{ configuration: Configuration; catalog: Catalog; diagnostics: Diagnostic[] }> {
  const configuration = readConfiguration({
    cwd: process.cwd(),
    configDir: defaultConfigDir(),
    ...configurationOptions(options),
    settings: optionSettings(
      { settings: givenSettings(options), disallowedTools: options.disallowedTools ?? [] },
      "cli",
    ),
  });
  const own = programmaticDefinitions(parseAgents(options.agents), silentLogger);
  const diagnostics: Diagnostic[] = [];
  const catalog = await catalogOf(configuration, {
    entrypoint: "cli",
    programmatic: () => own,
    report: (diagnostic) => diagnostics.push(diagnostic),
  })();
  return { configuration, catalog, diagnostics };
}

/** The options about places of agent types. */
export function configurationOptions(options: HereOptions): {
  pluginDirs: string[];
  addDirs: string[];
  lenient?: boolean;
} {
  return {
    pluginDirs: options.pluginDir ?? [],
    addDirs: options.addDir ?? [],
    ...(options.lenient === undefined ? {} : { lenient: options.lenient }),
  };
}

/** The settings that the options give by themselves. */
export function givenSettings({ settings, redact = [] }: HereOptions): Record<string, unknown> {
  return withSecrets(settings === undefined ? {} : readSettingsOption(settings), redact);
}

function withSecrets(
  values: Record<string, unknown>,
  secrets: readonly string[],
): Record<string, unknown> {
  if (secrets.length === 0) return values;
  const redact = (values["redact"] ?? {}) as { patterns?: unknown; values?: unknown };
  const listed = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
  const isPattern = (secret: string): boolean => parseOwnSecret(secret).kind === "expression";
  return {
    ...values,
    redact: {
      ...redact,
      patterns: [...listed(redact.patterns), ...secrets.filter(isPattern)],
      values: [...listed(redact.values), ...secrets.filter((secret) => !isPattern(secret))],
    },
  };
}

/** A file, or the settings themselves. */
function readSettingsOption(given: string): Record<string, unknown> {
  const text = given.trimStart().startsWith("{") ? given : readFile(given);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new RetinueError(
      "invalid_config",
      `--settings is not valid JSON (${errorMessage(error)}). Correct it.`,
    );
  }
  throw new RetinueError("invalid_config", "--settings must be a JSON object. Correct it.");
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new RetinueError(
      "invalid_config",
      `--settings: ${path} cannot be read (${errorMessage(error)}). Name a JSON file, or write the JSON itself.`,
    );
  }
}
