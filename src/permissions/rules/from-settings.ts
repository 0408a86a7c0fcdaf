import { absolutePath } from "../../platform/files/absolute-path.ts";
import type { Diagnostic } from "../../contract/diagnostic.ts";
import { RetinueError } from "../../contract/errors.ts";
import { realPath } from "../../platform/files/real-path.ts";
import {
  permissionModes,
  type PermissionMode,
  type SourcedRule,
} from "../../contract/resolved-agent.ts";
import { start, type SettingsLayer, type Position } from "../../settings/layer.ts";
import { isObject } from "../../platform/is-object.ts";
import type { LoadedSettings } from "../../settings/load-settings.ts";
import { originOf } from "../../settings/provenance.ts";
import type { Settings } from "../../settings/settings.ts";
import { refuseBypassForRoot } from "../may-bypass.ts";
import { ruleProblem } from "./rule-problem.ts";

/** The host's word counts, unless the settings forbid it; without one, the mode that the settings name. */
export function modeBySettings(
  given: PermissionMode | undefined,
  { permissions }: Settings,
): PermissionMode {
  const named = permissions.defaultMode === "manual" ? "default" : permissions.defaultMode;
  const mode = given ?? permissionModes.find((one) => one === named) ?? "default";
  if (mode !== "bypassPermissions") return mode;
  if (!bypassIsOff({ permissions })) {
    refuseBypassForRoot();
    return mode;
  }
  throw new RetinueError(
    "invalid_config",
    "bypassPermissions is switched off by the setting permissions.disableBypassPermissionsMode. Name the tools to allow instead.",
  );
}

export function bypassIsOff({ permissions }: Pick<Settings, "permissions">): boolean {
  return permissions.disableBypassPermissionsMode === "disable";
}

/** The rules of all settings files, each with the file that it stands in. */
export function rulesOfSettings({
  settings,
  provenance,
}: Pick<LoadedSettings, "settings" | "provenance">): SourcedRule[] {
  return (["deny", "ask", "allow"] as const).flatMap((kind) =>
    settings.permissions[kind].map((rule, index) => {
      const origin = originOf(provenance, ["permissions", kind, index]);
      return { kind, rule, source: origin?.file ?? "settings" };
    }),
  );
}

/**
 * The problems of rules: those that allow nothing, forbid more than they say, or are about no tool. Of one file at
 * most a hundred: to find the place of each takes time.
 */
export function ruleProblems({ settings, provenance, files }: LoadedSettings): Diagnostic[] {
  const found = (["deny", "ask", "allow"] as const).flatMap((kind) =>
    settings.permissions[kind].flatMap((rule, index) => {
      const message = ruleProblem(kind, rule);
      if (message === null) return [];
      const file = originOf(provenance, ["permissions", kind, index])?.file ?? "settings";
      return [{ kind, rule, file, message }];
    }),
  );
  const said = { severity: "warning", code: "unsupported" } as const;
  return [...Map.groupBy(found, ({ file }) => file)].flatMap(([file, problems]): Diagnostic[] => {
    const layer = files.find((one) => one.file === file);
    const shown = problems.slice(0, mostProblems).map(({ kind, rule, message }): Diagnostic => {
      const place = placeOfRule(layer, kind, rule);
      return { ...said, file, ...place, field: `permissions.${kind}`, message };
    });
    const more = problems.length - shown.length;
    const message = `${more} more rules have problems. Correct those above first.`;
    return more === 0 ? shown : [...shown, { ...said, file, ...start, field: null, message }];
  });
}

const mostProblems = 100;

function placeOfRule(layer: SettingsLayer | undefined, kind: string, rule: string): Position {
  const permissions = layer?.values["permissions"];
  const rules = isObject(permissions) ? permissions[kind] : undefined;
  const index = Array.isArray(rules) ? rules.indexOf(rule) : -1;
  return layer?.position?.(["permissions", kind, index]) ?? start;
}

/** Directories besides the working directory in which reading needs no approval. */
export function additionalDirectories({ permissions }: Settings, cwd: string): string[] {
  return permissions.additionalDirectories.flatMap((path) => {
    const directory = absolutePath(path, cwd);
    return [...new Set([directory, realPath(directory)])];
  });
}
