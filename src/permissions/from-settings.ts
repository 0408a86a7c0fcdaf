import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Diagnostic } from "../diagnostic.ts";
import { RetinueError } from "../errors.ts";
import { realPath } from "../platform/real-path.ts";
import type { PermissionMode } from "../resolved-agent.ts";
import { start, type Layer, type Position } from "../settings/layer.ts";
import { isObject } from "../platform/is-object.ts";
import type { LoadedSettings } from "../settings/load-settings.ts";
import { originOf } from "../settings/provenance.ts";
import type { Settings } from "../settings/settings.ts";
import { closest } from "../platform/closest.ts";
import { toolName, toolRegistry } from "../tools/registry.ts";
import { isChecked, partsOf } from "./forbidden.ts";

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

/** What is to be said about rules: those that allow nothing, forbid more than they say, or are about no tool. */
export function ruleProblems({ settings, provenance, files }: LoadedSettings): Diagnostic[] {
  return (["deny", "ask", "allow"] as const).flatMap((kind) =>
    settings.permissions[kind].flatMap((rule, index): Diagnostic[] => {
      const message = ruleProblem(kind, rule);
      if (message === null) return [];
      const field = `permissions.${kind}`;
      const file = originOf(provenance, ["permissions", kind, index])?.file ?? "settings";
      const layer = files.find((one) => one.file === file);
      const place = placeOfRule(layer, kind, rule);
      return [{ severity: "warning", code: "unsupported", file, ...place, field, message }];
    }),
  );
}

function placeOfRule(layer: Layer | undefined, kind: string, rule: string): Position {
  const permissions = layer?.values["permissions"];
  const rules = isObject(permissions) ? permissions[kind] : undefined;
  const index = Array.isArray(rules) ? rules.indexOf(rule) : -1;
  return layer?.position?.(["permissions", kind, index]) ?? start;
}

function ruleProblem(kind: "deny" | "ask" | "allow", rule: string): string | null {
  const { tool, specifier } = partsOf(rule);
  if (!toolRegistry.has(tool)) {
    const meant = closest(tool, [...toolRegistry.keys()]);
    // Tools of other programs, and of servers that are not there yet, are none of our business.
    return meant === undefined
      ? null
      : `'${rule}' in permissions.${kind} is about no tool. Did you mean '${meant}'?`;
  }
  if (kind === "allow")
    return isWholeTool(rule)
      ? null
      : `'${rule}' allows nothing: this version cannot check rules for a part of a tool. Name the tool without one to allow all of it.`;
  if (specifier !== null && (tool === "Read" || tool === "Edit"))
    return pathProblem(rule, specifier);
  if (isChecked({ rule, kind, tool, specifier })) return null;
  return `'${rule}' forbids every call of ${tool}: this version cannot tell which calls it is about.`;
}

/** Paths that hardly mean what they say. */
function pathProblem(rule: string, specifier: string): string | null {
  if (/["'$,]|\\(?![*?[{(])/.test(specifier))
    return `'${rule}' takes its path as it is written, with quotes, commas and $. Write one path in each rule, without them.`;
  if (/^\/[^/]/.test(specifier) && existsSync(specifier))
    return `'${rule}' is about a path below the project. Write '/${specifier}' for the absolute one.`;
  return null;
}

function isWholeTool(rule: string): boolean {
  return !/[()]/.test(rule) && toolRegistry.has(toolName(rule));
}

/** Directories besides the working directory in which reading needs no approval. */
export function additionalDirectories({ permissions }: Settings, cwd: string): string[] {
  return permissions.additionalDirectories.flatMap((path) => {
    const directory = resolve(cwd, path.replace(/^~(?=\/|$)/, homedir()));
    return [...new Set([directory, realPath(directory)])];
  });
}
