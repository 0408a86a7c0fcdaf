import type { Diagnostic } from "../contract/diagnostic.ts";
import type { AgentDefinition } from "./definition.ts";
import type { FieldName } from "./fields.ts";
import type { FieldPlace } from "./frontmatter.ts";

/** The limits that policy and trust set for definitions. */
export interface Restraints {
  /** Surfaces on which only plugins count (`strictPluginOnlyCustomization`). */
  readonly pluginsOnly: ReadonlySet<Surface | "agents">;
  /** Extensions that plugin agents may carry (`allowPluginAgentExtensions`). */
  readonly pluginsMay: ReadonlySet<Surface | "permissionMode">;
}

/** A part of the configuration, as named in settings. */
export type Surface = "hooks" | "mcp" | "skills";

type RestrainedField = Surface | "permissionMode" | "memory";

export const unrestrained: Restraints = { pluginsOnly: new Set(), pluginsMay: new Set() };

/**
 * Removes the fields of a definition that must not act: of an untrusted project hooks, MCP servers, permission modes
 * and the memory; of plugins the first three; of users and projects the surfaces that a policy leaves to plugins. The
 * agent itself stays, and its losses are reported. A mode that only narrows stays too.
 */
export function restrain(
  definition: AgentDefinition,
  options: {
    trusted: boolean;
    restraints: Restraints;
    places?: ReadonlyMap<string, FieldPlace> | undefined;
  },
): { definition: AgentDefinition; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const kept: Record<string, unknown> = { ...definition };
  for (const [field, surface] of acting) {
    if (definition[field] === undefined) continue;
    if (field === "permissionMode" && narrow.has(definition.permissionMode ?? "")) continue;
    const why = whyInert(definition, surface, options);
    if (why === null) continue;
    delete kept[field];
    diagnostics.push({
      severity: "warning",
      code: "inert",
      file: definition.file ?? definition.name,
      ...(options.places?.get(field) ?? { line: 1, column: 1 }),
      field,
      agent: definition.name,
      message: `'${field}' of '${definition.name}' does not act: ${why}`,
    });
  }
  if (diagnostics.length === 0) return { definition, diagnostics };
  return { definition: kept as unknown as AgentDefinition, diagnostics };
}

/** Fields with effects besides the agent itself. */
const acting: readonly (readonly [FieldName, RestrainedField])[] = [
  ["hooks", "hooks"],
  ["mcpServers", "mcp"],
  ["memory", "memory"],
  ["permissionMode", "permissionMode"],
  ["skills", "skills"],
];

const narrow: ReadonlySet<string> = new Set(["default", "plan", "dontAsk", "delegate"]);

function whyInert(
  { source, memory }: AgentDefinition,
  surface: RestrainedField,
  { trusted, restraints }: { trusted: boolean; restraints: Restraints },
): string | null {
  const own = source === "user" || source === "project";
  if (own && isSurface(surface) && restraints.pluginsOnly.has(surface))
    return "the policy strictPluginOnlyCustomization leaves this to plugins.";
  if (surface === "skills") return null;
  // The agent has its plugin's name, so no other agent shares its notes.
  if (source === "plugin" && surface !== "memory" && !restraints.pluginsMay.has(surface))
    return "agents of plugins may not have it, unless the policy allowPluginAgentExtensions says so.";
  if (source !== "project") return null;
  // The directory depends on the name alone, and the name may be that of an agent of the user.
  if (surface === "memory" && memory === "user")
    return "the notes of the user are for the user's own agents. Write 'memory: project' or 'memory: local'.";
  return trusted
    ? null
    : "this folder is not trusted. Look at what is in it, then run 'retinue trust'.";
}

function isSurface(surface: RestrainedField): surface is Surface {
  return surface !== "permissionMode" && surface !== "memory";
}
