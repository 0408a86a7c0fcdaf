import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Logger } from "../platform/logger.ts";
import type { PermissionMode } from "../resolved-agent.ts";
import type { Settings } from "../settings/settings.ts";
import { toolName, toolRegistry } from "../tools/registry.ts";

/** The host's word counts; without one, a setting may narrow. */
export function modeBySettings(given: PermissionMode, { permissions }: Settings): PermissionMode {
  return given === "default" && permissions.defaultMode === "plan" ? "plan" : given;
}

/** Whole tools. A rule for part of one cannot be checked yet, and so allows nothing. */
export function allowedBySettings({ permissions }: Settings, logger: Logger): string[] {
  return permissions.allow.flatMap((rule) => {
    const tool = toolName(rule);
    if (!toolRegistry.has(tool)) return [];
    if (!/[()]/.test(rule)) return [tool];
    const message = `permissions.allow: '${rule}' is a rule for part of a tool, which this version cannot check; it allows nothing.`;
    logger.warn({ rule }, message);
    return [];
  });
}

/** Directories besides the working directory in which reading needs no approval. */
export function additionalDirectories({ permissions }: Settings, cwd: string): string[] {
  return permissions.additionalDirectories.map((path) =>
    resolve(cwd, path.replace(/^~(?=\/|$)/, homedir())),
  );
}
