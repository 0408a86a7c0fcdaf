import type { AgentDefinition } from "../definitions/definition.ts";
import { ownRules } from "../lifecycle/history/stored-agent.ts";
import { parseAllowedTools } from "../permissions/rules/allowed-tools.ts";
import { modeBySettings } from "../permissions/rules/from-settings.ts";
import { isInside } from "../platform/files/is-inside.ts";
import type {
  ModeRecord,
  PermissionMode,
  PermissionPolicy,
  ReadOnly,
  Workspace,
} from "../contract/resolved-agent.ts";
import type { SpawnRequest } from "../contract/spawn-request.ts";
import type { Tool } from "../tools/tool.ts";
import { webSearchTool } from "../tools/web/web-search.ts";
import { memoryDirectory } from "./memory.ts";
import { isHostDefinition, resolveMode } from "./permission-mode.ts";
import type { Origin, Surroundings } from "./resolve.ts";
import { resolveTools, type ResolvedTools } from "./tools.ts";

/** The session's part of the policy of its agents. */
export type PolicySurroundings = Pick<
  Surroundings,
  | "settings"
  | "limits"
  | "availableTools"
  | "project"
  | "trusted"
  | "workspace"
  | "own"
  | "readable"
  | "allowsBypass"
  | "childMode"
> & { readonly environment: Pick<Surroundings["environment"], "cwd" | "configDir" | "repository"> };

export interface ResolvedPolicy {
  readonly policy: PermissionPolicy;
  /** Record of how the policy's mode was decided. */
  readonly mode: ModeRecord;
  readonly tools: ResolvedTools;
}

/** Decides the tools of an agent, and the rules for its calls. */
export function resolvePolicy(
  definition: AgentDefinition,
  request: Pick<SpawnRequest, "mode" | "allowedTools">,
  context: {
    origin: Pick<Origin, "meets" | "byModel" | "depth" | "parentId" | "workspace">;
    background: boolean;
    /** Whether the agent's model can search the web. */
    canSearch: boolean;
    surroundings: PolicySurroundings;
  },
): ResolvedPolicy {
  const { background, canSearch, origin, surroundings } = context;
  const { availableTools, environment, limits, settings } = surroundings;
  const { permissions, mode: above } = origin.meets;
  const isMain = origin.depth === 0;
  const memory = memoryDirectory(definition, environment);
  const { mode, record } = resolveMode({
    parent: above,
    hasParent: origin.parentId !== null,
    session: above.session,
    isMain,
    host: hostMode(request.mode, origin, surroundings),
    definition: definition.permissionMode,
    isHostDefinition: isHostDefinition(definition),
    call: origin.byModel ? request.mode : undefined,
    allowsBypass: surroundings.allowsBypass,
  });
  const readOnly = readOnlyOf(definition);
  const tools = resolveTools({
    type: definition.name,
    available: canSearch ? availableTools : availableTools.filter(isNoSearch),
    wanted: definition.tools,
    unwanted: definition.disallowedTools,
    denied: settings.permissions.deny,
    isMain,
    atDepthLimit: origin.depth >= limits.maxSpawnDepth,
    background,
    backgroundMcp: settings.background.mcp,
    mode,
    readOnly: readOnly !== null,
    memory,
  });
  const { allowedTools } = request;
  const policy = policyAt(origin.workspace, surroundings, {
    mode,
    rules:
      allowedTools === undefined
        ? permissions.rules
        : [...permissions.rules, ...parseAllowedTools(allowedTools, ownRules)],
    takesSessionGrants: allowedTools === undefined && permissions.takesSessionGrants,
    confined: [
      ...permissions.confined,
      ...tools.confined,
      ...(readOnly === null ? [] : [{ readOnly }]),
    ],
    memory: memory === null ? null : { directory: memory, tools: tools.forMemory },
  });
  return { policy, mode: record, tools };
}

/** The policy of an agent in its workspace: the agent's own part, and the session's directories. */
export function policyAt(
  { cwd, directories }: Workspace,
  { project, trusted, own, readable }: PolicySurroundings,
  decided: Pick<PermissionPolicy, "mode" | "rules" | "takesSessionGrants" | "confined" | "memory">,
): PermissionPolicy {
  return {
    ...decided,
    project,
    trusted,
    cwd,
    directories,
    // An agent that works inside has the directory as a working directory.
    own: own.filter((directory) => !isInside(directory, cwd)),
    state: own,
    readable,
  };
}

const isNoSearch = ({ name }: Tool): boolean => name !== webSearchTool.name;

export function readOnlyOf({ readOnly = false }: AgentDefinition): ReadOnly | null {
  return readOnly === false ? null : readOnly;
}

/** The host's mode for an agent that it requests itself, else for every child. Throws if the settings forbid it. */
function hostMode(
  mode: SpawnRequest["mode"],
  { byModel, depth }: Pick<Origin, "byModel" | "depth">,
  { settings, childMode }: PolicySurroundings,
): PermissionMode | undefined {
  if (byModel || mode === undefined) return depth === 0 ? undefined : childMode;
  return modeBySettings(mode, settings);
}
