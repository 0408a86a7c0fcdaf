import type { AgentDefinition } from "../definitions/definition.ts";
import { ownRules } from "../lifecycle/stored-agent.ts";
import { parseAllowedTools } from "../permissions/allowed-tools.ts";
import { isInside } from "../platform/is-inside.ts";
import type { PermissionPolicy } from "../resolved-agent.ts";
import type { SpawnRequest } from "../spawn-request.ts";
import { memoryDirectory } from "./memory.ts";
import { resolveMode } from "./permission-mode.ts";
import type { Origin, Surroundings } from "./resolve.ts";
import { resolveTools, type ResolvedTools } from "./tools.ts";

/** What a session says about what its agents may do. */
export type PolicySurroundings = Pick<
  Surroundings,
  | "settings"
  | "limits"
  | "availableTools"
  | "project"
  | "addedDirectories"
  | "own"
  | "readable"
  | "allowsBypass"
> & { readonly environment: Pick<Surroundings["environment"], "cwd" | "configDir" | "repository"> };

/** What an agent may do: its tools, and the rules that every call of them meets. */
export function resolvePolicy(
  definition: AgentDefinition,
  request: Pick<SpawnRequest, "mode" | "allowedTools">,
  context: {
    origin: Pick<Origin, "permissions" | "byModel" | "depth">;
    background: boolean;
    surroundings: PolicySurroundings;
  },
): {
  policy: PermissionPolicy;
  /** Who says which mode it is. */
  modeFrom: string;
  tools: ResolvedTools;
} {
  const { origin, surroundings } = context;
  const { environment, limits, settings } = surroundings;
  const { mode, from: modeFrom } = resolveMode({
    parent: origin.permissions.mode,
    call: request.mode,
    byModel: origin.byModel,
    definition: definition.permissionMode,
    allowsBypass: surroundings.allowsBypass,
  });
  const memory = memoryDirectory(definition, environment);
  const tools = resolveTools({
    type: definition.name,
    available: surroundings.availableTools,
    wanted: definition.tools,
    unwanted: definition.disallowedTools,
    denied: settings.permissions.deny,
    isMain: origin.depth === 0,
    atDepthLimit: origin.depth >= limits.maxSpawnDepth,
    background: context.background,
    backgroundMcp: settings.background.mcp,
    mode,
    memory,
  });
  const policy: PermissionPolicy = {
    mode,
    rules: [
      ...origin.permissions.rules,
      ...parseAllowedTools(request.allowedTools ?? [], ownRules),
    ],
    takesSessionGrants: request.allowedTools === undefined && origin.permissions.takesSessionGrants,
    confined: [...origin.permissions.confined, ...tools.confined],
    memory: memory === null ? null : { directory: memory, tools: tools.forMemory },
    project: surroundings.project,
    cwd: environment.cwd,
    directories: [environment.cwd, ...surroundings.addedDirectories],
    // Whoever works in there has it as a working directory.
    own: surroundings.own.filter((directory) => !isInside(directory, environment.cwd)),
    readable: surroundings.readable,
  };
  return { policy, modeFrom, tools };
}
