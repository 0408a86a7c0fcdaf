import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { Catalog } from "../definitions/catalog.ts";
import type { Loaded } from "../definitions/definition-file.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import type { Entrypoint } from "../definitions/fields.ts";
import { DefinitionLoader } from "../definitions/load.ts";
import { definitionPlaces, skillPlaces, type DefinitionPlace } from "../definitions/places.ts";
import type { Restraints } from "../definitions/restrain.ts";
import type { SkillPlace } from "../definitions/skills.ts";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { RetinueError } from "../contract/errors.ts";
import { ruleProblems } from "../permissions/rules/from-settings.ts";
import { sameItems } from "../platform/same-items.ts";
import { findPlugins } from "../plugins/find-plugins.ts";
import type { Plugin } from "../plugins/read-plugin.ts";
import {
  loadSettings,
  type LoadedSettings,
  type OptionSettings,
} from "../settings/load-settings.ts";
import { mainCheckout } from "../settings/main-checkout.ts";
import { projectFolder } from "../settings/project-folder.ts";
import { defaultManagedDir } from "../settings/scopes.ts";
import type { Settings } from "../settings/settings.ts";
import { isTrusted } from "../settings/trust.ts";

export interface ConfigurationRequest {
  readonly cwd: string;
  readonly configDir: string;
  /** Directory of policies; default: that of this platform. */
  readonly managedDir?: string | undefined;
  /** Settings of a host or the command line, which win over those of files; the highest first. */
  readonly settings?: readonly OptionSettings[];
  /** Plugins, or marketplaces of them, besides the installed ones. */
  readonly pluginDirs?: readonly string[];
  /** Further folders whose `.claude/agents` are loaded. */
  readonly addDirs?: readonly string[];
  /** Whether to load agent files that other programs refuse; the setting `agents.lenient` does the same. */
  readonly lenient?: boolean | undefined;
}

/**
 * Everything in files about a working directory: settings, trust, plugins, and the places of agent types. Reading it
 * starts nothing.
 */
export interface Configuration extends LoadedSettings {
  /** Whether the project's folder is trusted. */
  readonly trusted: boolean;
  readonly plugins: readonly Plugin[];
  readonly places: readonly DefinitionPlace[];
  readonly loader: DefinitionLoader;
  /**
   * Diagnostics of settings files that cannot be read, or of invalid rules in them: their prohibitions would not hold.
   */
  readonly unreadSettings: readonly Diagnostic[];
  readonly skillPlaces: readonly SkillPlace[];
}

export function readConfiguration(request: ConfigurationRequest): Configuration {
  const cwd = realpathSync(request.cwd);
  const configDir = resolve(request.configDir);
  const managedDir = request.managedDir ?? defaultManagedDir();
  const trusted = isTrusted(cwd, configDir);
  const loaded = loadSettings({
    cwd,
    configDir,
    managedDir,
    trusted,
    ...(request.settings === undefined ? {} : { commandLine: request.settings }),
  });
  const { settings } = loaded;
  const found = findPlugins({
    configDir,
    pluginDirs: (request.pluginDirs ?? []).map((path) => resolve(cwd, path)),
    enabledPlugins: settings.enabledPlugins,
  });
  const added = (request.addDirs ?? []).map((path) => resolve(cwd, path));
  const main = mainCheckout(projectFolder(cwd));
  const places = definitionPlaces({
    cwd,
    configDir,
    managedDir,
    trusted,
    mainCheckout:
      main === undefined ? undefined : { path: main, trusted: isTrusted(main, configDir) },
    addedFolders: added.map((path) => ({ path, trusted: isTrusted(path, configDir) })),
    plugins: found.plugins,
  });
  return {
    ...loaded,
    diagnostics: [
      ...loaded.diagnostics,
      ...ruleProblems(loaded),
      ...found.diagnostics,
      ...added.filter((path) => !existsSync(path)).map(missingFolder),
    ],
    trusted,
    unreadSettings: loaded.diagnostics.filter((one) => isLostRule(one, settings)),
    plugins: found.plugins,
    places,
    skillPlaces: skillPlaces({ cwd, configDir, managedDir, trusted, plugins: found.plugins }),
    loader: new DefinitionLoader({
      places,
      lenient: request.lenient ?? settings.agents.lenient,
      restraints: restraintsOf(settings),
    }),
  };
}

/** The catalog of a session: rebuilt when a file, or the host's registered types, changed. */
export function catalogOf(
  { loader, settings, diagnostics }: Configuration,
  options: {
    entrypoint: Entrypoint;
    programmatic: () => readonly AgentDefinition[];
    /** Called with every problem, each time the catalog is built. */
    report: (diagnostic: Diagnostic) => void;
  },
): () => Promise<Catalog> {
  for (const diagnostic of diagnostics) options.report(diagnostic);
  let last: { loaded: Loaded; own: readonly AgentDefinition[]; catalog: Catalog } | undefined;
  return async () => {
    const loaded = await loader.load();
    const own = options.programmatic();
    if (last?.loaded === loaded && sameItems(last.own, own)) return last.catalog;
    for (const diagnostic of loaded.diagnostics) options.report(diagnostic);
    const catalog = new Catalog([...own, ...loaded.definitions], {
      settings,
      entrypoint: options.entrypoint,
      diagnostics: loaded.diagnostics,
    });
    last = { loaded, own, catalog };
    return catalog;
  };
}

/** Throws if rules that were written for safety would silently not hold. */
export function refuseLostRules({ unreadSettings: [lost] }: Configuration): void {
  if (lost === undefined) return;
  const { file, line, column, message } = lost;
  throw new RetinueError("invalid_config", `${file}:${line}:${column}: ${message}`);
}

/** Whether a diagnostic reports that a rule written for safety has no effect. */
function isLostRule({ code, severity, field }: Diagnostic, { sandbox }: Settings): boolean {
  if (code === "unreadable") return true;
  if (severity !== "error" || field === null) return false;
  if (/^sandbox(?:\.enabled)?$/.test(field)) return true;
  if (field.startsWith("sandbox.")) return sandbox.enabled;
  return /^permissions(?:\.(?:deny|ask)\b|$)/.test(field);
}

function missingFolder(file: string): Diagnostic {
  const message = "The folder does not exist. Correct --add-dir.";
  const place = { file, line: 1, column: 1, field: null };
  return { severity: "error", code: "unreadable", ...place, message };
}

function restraintsOf(settings: Settings): Restraints {
  const strict = settings.strictPluginOnlyCustomization;
  return {
    pluginsOnly: new Set(strict === true ? ["agents", "hooks", "mcp", "skills"] : strict),
    pluginsMay: new Set(settings.allowPluginAgentExtensions),
  };
}
