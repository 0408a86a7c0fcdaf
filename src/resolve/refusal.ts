import type { AgentDefinition } from "../definitions/definition.ts";
import { toolRegistry } from "../tools/registry.ts";
import { readOnlyOf } from "./policy.ts";
import { resolveTools } from "./tools.ts";

/** The reason why an agent would not start as a child, for any asker, and the field at fault; `null`: it would. */
export function refusalOf(definition: AgentDefinition): { field: string; message: string } | null {
  const isolation = isolationRefusal(definition);
  if (isolation !== null) return { field: "isolation", message: isolation };
  const { refusal } = resolveTools({
    type: definition.name,
    available: [...toolRegistry.values()],
    readOnly: readOnlyOf(definition) !== null,
    wanted: definition.tools,
    unwanted: definition.disallowedTools,
    denied: [],
    isMain: false,
    atDepthLimit: true,
    background: definition.background ?? false,
    backgroundMcp: true,
    mode: definition.permissionMode ?? "default",
    memory: definition.memory ?? null,
  });
  return refusal === null ? null : { field: "tools", message: refusal.message };
}

export function isolationRefusal({ isolation }: AgentDefinition): string | null {
  if (isolation === undefined) return null;
  return `It asks for isolation '${isolation}', which this version cannot give: it is refused.`;
}
