import type { Diagnostic } from "../contract/diagnostic.ts";
import { checkSettings } from "./check-settings.ts";
import { holdBack, type Allowance } from "./held-back.ts";
import { mistakenKeys } from "./known-keys.ts";
import { layerDiagnostics, type SettingsLayer, type SettingProblem, type Values } from "./layer.ts";
import { mergeSettings, type MergedSettings } from "./merge.ts";
import { plainValues } from "../platform/plain-values.ts";
import { readSettingsFile } from "./read-settings-file.ts";
import { byScope, defaultManagedDir, settingsFiles } from "./scopes.ts";
import { inertSandboxKeys } from "./sandbox-settings.ts";
import type { Settings } from "./settings.ts";

/** Settings of one option. */
export interface OptionSettings {
  readonly values: Values;
  /** Name of the option, for display: `--settings`. */
  readonly where: string;
}

export interface SettingsRequest {
  readonly cwd: string;
  readonly configDir: string;
  /** Directory of policies; default: that of this platform. */
  readonly managedDir?: string;
  /** Settings of options, the highest first. */
  readonly commandLine?: readonly OptionSettings[];
  /** Whether the project's folder is trusted; see `trust.ts`. */
  readonly trusted: boolean;
}

export interface LoadedSettings extends MergedSettings {
  /** Values with every default. */
  readonly settings: Settings;
  /** Layers of each file and of the command line, highest first. */
  readonly files: readonly SettingsLayer[];
}

/**
 * Loads the settings for a directory. Never throws for a file: an unreadable file or a bad value is reported and left
 * out, and everything else applies.
 */
export function loadSettings(request: SettingsRequest): LoadedSettings {
  const { layers, diagnostics } = readLayers(request);
  const allowance = { trusted: request.trusted, managedRulesOnly: managedRulesOnly(layers) };
  const files = layers.map((layer) => {
    const confined = confine(layer, allowance);
    diagnostics.push(...confined.diagnostics);
    return confined.layer;
  });
  const merged = mergeSettings(files);
  return {
    ...merged,
    settings: checkSettings(merged.values).settings,
    diagnostics: [...diagnostics, ...merged.diagnostics],
    files,
  };
}

function readLayers(request: SettingsRequest): {
  layers: SettingsLayer[];
  diagnostics: Diagnostic[];
} {
  const { cwd, configDir, managedDir = defaultManagedDir(), commandLine = [] } = request;
  const read = settingsFiles({ cwd, configDir, managedDir }).map(readSettingsFile);
  const layers = read.flatMap(({ layer }) => layer ?? []);
  const diagnostics = read.flatMap((one) => one.diagnostics);
  for (const { values, where } of commandLine)
    layers.push({ scope: "command-line", file: where, values });
  return { layers: layers.toSorted(byScope), diagnostics };
}

function managedRulesOnly(layers: readonly SettingsLayer[]): boolean {
  const said = layers
    .filter(({ scope }) => scope === "managed")
    .map(({ values }) => values["allowManagedPermissionRulesOnly"]);
  return said.find((value) => typeof value === "boolean") === true;
}

/** The part of a layer that applies: safe, within the rights of its scope, and valid. */
function confine(
  layer: SettingsLayer,
  allowance: Allowance,
): { layer: SettingsLayer; diagnostics: Diagnostic[] } {
  const problems: SettingProblem[] = [];
  const plain = plainValues(layer.values, (path, message) =>
    problems.push({ severity: "error", code: "invalid", path, message }),
  );
  const { values: permitted, heldBack } = holdBack({ ...layer, values: plain }, allowance);
  for (const { path, message } of heldBack)
    problems.push({ severity: "warning", code: "inert", path, message });
  for (const { path, message } of mistakenKeys(plain))
    problems.push({ severity: "warning", code: "unknown", path, message });
  for (const { path, message } of inertSandboxKeys(permitted))
    problems.push({ severity: "warning", code: "unsupported", path, message });
  const { values, bad } = checkSettings(permitted);
  for (const { path, message } of bad)
    problems.push({ severity: "error", code: "invalid", path, message });
  return { layer: { ...layer, values }, diagnostics: layerDiagnostics(layer, problems) };
}
