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
} from "../contract/resolved-agent.ts";
import type { SpawnRequest } from "../contract/spawn-request.ts";
import { webSearchTool } from "../tools/web/web-search.ts";
import { memoryDirectory } from "./memory.ts";
import { isHostDefinition, resolveMode } from "./permission-mode.ts";
import type { Above, Origin, Surroundings } from "./resolve.ts";
import { resolveTools, type ResolvedTools } from "./tools.ts";

/** What a session says about what its agents may do. */
export type PolicySurroundings = Pick<
  Surroundings,
  | "settings"
  | "limits"
  | "availableTools"
  | "project"
  | "trusted"
  | "addedDirectories"
  | "own"
  | "readable"
  | "allowsBypass"
  | "childMode"
> & { readonly environment: Pick<Surroundings["environment"], "cwd" | "configDir" | "repository"> };

export interface ResolvedPolicy {
  readonly policy: PermissionPolicy;
  /** The record of how the policy's mode was settled. */
  readonly mode: ModeRecord;
  readonly tools: ResolvedTools;
}

/** Everything besides the definition that has a say. */
interface Voices {
  readonly mode: SpawnRequest["mode"];
  readonly allowedTools: SpawnRequest["allowedTools"];
  readonly permissions: Above["permissions"];
  readonly above: ModeRecord;
  readonly hasParent: boolean;
  readonly byModel: boolean;
  readonly depth: number;
  readonly background: boolean;
  readonly memory: string | null;
  readonly canSearch: boolean;
  readonly surroundings: PolicySurroundings;
}

const last = new WeakMap<AgentDefinition, { voices: Voices; resolved: ResolvedPolicy }>();

/**
 * What an agent may do: its tools, and the rules that every call of them meets. Siblings of one type, to whom the same
 * was said, share the answer.
 */
export function resolvePolicy(
  definition: AgentDefinition,
  { mode, allowedTools }: Pick<SpawnRequest, "mode" | "allowedTools">,
  context: {
    origin: Pick<Origin, "meets" | "byModel" | "depth" | "parentId">;
    background: boolean;
    /** The model of the agent can search the web. */
    canSearch: boolean;
    surroundings: PolicySurroundings;
  },
): ResolvedPolicy {
  const { background, canSearch, surroundings } = context;
  const { meets, byModel, depth, parentId } = context.origin;
  // Links on the way to it may have changed.
  const memory = memoryDirectory(definition, surroundings.environment);
  const voices: Voices = {
    mode,
    allowedTools,
    permissions: meets.permissions,
    above: meets.mode,
    hasParent: parentId !== null,
    byModel,
    depth,
    background,
    memory,
    canSearch,
    surroundings,
  };
  const known = last.get(definition);
  if (known !== undefined && isSame(known.voices, voices)) return known.resolved;
  const resolved = settle(definition, voices);
  last.set(definition, { voices, resolved });
  return resolved;
}

function isSame(some: Voices, others: Voices): boolean {
  return (Object.keys(some) as (keyof Voices)[]).every((key) => some[key] === others[key]);
}

function settle(definition: AgentDefinition, voices: Voices): ResolvedPolicy {
  const { permissions, memory, surroundings } = voices;
  const { availableTools, environment, limits, settings } = surroundings;
  const { mode, record } = resolveMode({
    parent: voices.above,
    hasParent: voices.hasParent,
    session: voices.above.session,
    isMain: voices.depth === 0,
    host: hostMode(voices),
    definition: definition.permissionMode,
    isHostDefinition: isHostDefinition(definition),
    call: voices.byModel ? voices.mode : undefined,
    allowsBypass: surroundings.allowsBypass,
  });
  const readOnly = readOnlyOf(definition);
  const tools = resolveTools({
    type: definition.name,
    available: voices.canSearch ? availableTools : availableTools.filter(isNoSearch),
    wanted: definition.tools,
    unwanted: definition.disallowedTools,
    denied: settings.permissions.deny,
    isMain: voices.depth === 0,
    atDepthLimit: voices.depth >= limits.maxSpawnDepth,
    background: voices.background,
    backgroundMcp: settings.background.mcp,
    mode,
    readOnly: readOnly !== null,
    memory,
  });
  const policy: PermissionPolicy = {
    mode,
    rules: [...permissions.rules, ...parseAllowedTools(voices.allowedTools ?? [], ownRules)],
    takesSessionGrants: voices.allowedTools === undefined && permissions.takesSessionGrants,
    confined: [
      ...permissions.confined,
      ...tools.confined,
      ...(readOnly === null ? [] : [{ readOnly }]),
    ],
    memory: memory === null ? null : { directory: memory, tools: tools.forMemory },
    project: surroundings.project,
    trusted: surroundings.trusted,
    cwd: environment.cwd,
    directories: [environment.cwd, ...surroundings.addedDirectories],
    // Whoever works in there has it as a working directory.
    own: surroundings.own.filter((directory) => !isInside(directory, environment.cwd)),
    state: surroundings.own,
    readable: surroundings.readable,
  };
  return { policy, mode: record, tools };
}

const isNoSearch = (tool: string): boolean => tool !== webSearchTool.name;

export function readOnlyOf({ readOnly = false }: AgentDefinition): ReadOnly | null {
  return readOnly === false ? null : readOnly;
}

/** The host's word for an agent that it asks for itself, else for every child. Throws where the settings forbid it. */
function hostMode(voices: Voices): PermissionMode | undefined {
  const { settings, childMode } = voices.surroundings;
  const forChildren = voices.depth === 0 ? undefined : childMode;
  if (voices.byModel || voices.mode === undefined) return forChildren;
  return modeBySettings(voices.mode, settings);
}
