import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Diagnostic } from "../diagnostic.ts";
import { RetinueError } from "../errors.ts";
import type { PermissionMode } from "../resolved-agent.ts";
import type { LoadedSettings } from "../settings/load-settings.ts";
import { originOf } from "../settings/provenance.ts";
import type { Settings } from "../settings/settings.ts";
import { toolName, toolRegistry } from "../tools/registry.ts";

/** The host's word counts, unless the settings forbid it; without one, a setting may narrow. */
export function modeBySettings(given: PermissionMode, { permissions }: Settings): PermissionMode {
  if (given === "bypassPermissions" && permissions.disableBypassPermissionsMode === "disable") {
    throw new RetinueError(
      "invalid_config",
      "bypassPermissions is switched off by the setting permissions.disableBypassPermissionsMode. Name the tools to allow instead.",
    );
  }
  return given === "default" && permissions.defaultMode === "plan" ? "plan" : given;
}

/** Whole tools. A rule for part of one cannot be checked yet, and so allows nothing. */
export function allowedBySettings({ permissions }: Settings): string[] {
  return permissions.allow.filter(isWholeTool).map(toolName);
}

/** What `permissions.allow` says in vain, and in which file. */
export function uselessAllowRules({ settings, provenance }: LoadedSettings): Diagnostic[] {
  return settings.permissions.allow.flatMap((rule, index): Diagnostic[] => {
    if (isWholeTool(rule) || !toolRegistry.has(toolName(rule))) return [];
    const file = originOf(provenance, ["permissions", "allow", index])?.file ?? "settings";
    const message = `'${rule}' allows nothing: this version cannot check rules for a part of a tool. Name the tool without one to allow all of it.`;
    const place = { file, line: 1, column: 1, field: "permissions.allow" };
    return [{ severity: "warning", code: "unsupported", ...place, message }];
  });
}

function isWholeTool(rule: string): boolean {
  return !/[()]/.test(rule) && toolRegistry.has(toolName(rule));
}

/** Directories besides the working directory in which reading needs no approval. */
export function additionalDirectories({ permissions }: Settings, cwd: string): string[] {
  return permissions.additionalDirectories.map((path) =>
    resolve(cwd, path.replace(/^~(?=\/|$)/, homedir())),
  );
}
