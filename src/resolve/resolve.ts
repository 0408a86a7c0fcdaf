import type { Catalog } from "../definitions/catalog.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import { newAgentId, type AgentId, type SessionId } from "../ids.ts";
import { inheritedConfinement } from "../permissions/decide.ts";
import { parseAllowedTools } from "../permissions/allowed-tools.ts";
import { parseForbidding } from "../permissions/forbidden.ts";
import type { PermissionMode, PermissionPolicy, ResolvedAgent } from "../resolved-agent.ts";
import type { Limits, Settings } from "../settings/settings.ts";
import type { SpawnRequest } from "../spawn-request.ts";
import type { Environment } from "./environment.ts";
import { memoryDirectory } from "./memory.ts";
import { resolveModel } from "./model.ts";
import { firstOf } from "./precedence.ts";
import { initialAttachments, systemPrompt } from "./prompt.ts";
import { resolveTools } from "./tools.ts";

/** What the session says about every agent in it. */
export interface Surroundings {
  readonly environment: Environment;
  readonly settings: Settings;
  readonly limits: Limits;
  readonly availableTools: readonly string[];
  /** Besides the working directory. */
  readonly readableDirectories: readonly string[];
  /** `CLAUDE_CODE_SUBAGENT_MODEL` */
  readonly subagentModel: string | undefined;
}

/** Where an agent comes from. */
export interface Origin {
  readonly sessionId: SessionId;
  readonly parentId: AgentId | null;
  /** The parent's call that asked for it. */
  readonly toolUseId: string | null;
  readonly parentModel: string | undefined;
  /** The rules for whoever asks: they bind its children too. */
  readonly permissions: Pick<PermissionPolicy, "mode" | "allowedTools" | "confined">;
  /** 0 for the main agent. */
  readonly depth: number;
}

/** A definition and a request become one frozen record. Explicit beats declared beats inherited beats default. */
export async function resolveAgent(
  definition: AgentDefinition,
  request: SpawnRequest,
  context: { origin: Origin; background: boolean; catalog: Catalog; surroundings: Surroundings },
): Promise<ResolvedAgent> {
  const { origin, catalog, surroundings } = context;
  const { environment, limits, settings } = surroundings;
  const { model, from } = resolveModel({
    environment: origin.depth === 0 ? undefined : surroundings.subagentModel,
    call: request.model,
    definition: definition.model,
    parent: origin.parentModel,
    settings,
  });
  const mode = modeOf(definition, origin.permissions.mode);
  const memory = memoryDirectory(definition, environment);
  const { tools, spawn, confined, forMemory, report, refusal } = resolveTools({
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
  if (refusal !== null) throw refusal;
  const number = (call: number | undefined, own: number | undefined, fallback: number): number =>
    firstOf([
      ["call", call],
      ["definition", own],
    ])?.value ?? fallback;

  const effort = request.effort ?? definition.effort ?? null;

  return deepFreeze({
    id: newAgentId(),
    sessionId: origin.sessionId,
    type: definition.name,
    name: request.name ?? null,
    description: request.description || firstWords(request.prompt ?? ""),
    color: definition.color ?? null,
    cwd: environment.cwd,
    sees: {
      system: await systemPrompt(definition, environment, model),
      attachments: await initialAttachments({
        definition,
        environment,
        catalog,
        spawn,
      }),
      reminder: definition.criticalSystemReminder_EXPERIMENTAL ?? null,
    },
    can: { tools, spawn },
    meets: {
      permissions: {
        mode,
        confined: { ...inheritedConfinement(origin.permissions.confined), ...confined },
        allowedTools:
          request.allowedTools === undefined
            ? origin.permissions.allowedTools
            : parseAllowedTools(request.allowedTools),
        memory: memory === null ? null : { directory: memory, tools: forMemory },
        forbidding: parseForbidding(settings.permissions),
        ruleRoots: [...new Set([environment.cwd, environment.repository ?? environment.cwd])],
        readableDirectories: [environment.cwd, ...surroundings.readableDirectories],
      },
      env: settings.env,
    },
    relates: {
      parentId: origin.parentId,
      toolUseId: origin.toolUseId,
      depth: origin.depth,
      background: context.background,
      oneShot: definition.oneShot ?? false,
    },
    costs: {
      model,
      modelFrom: from,
      effort,
      thinks: origin.depth === 0 || effort !== null,
      maxTurns: number(request.max_turns, definition.maxTurns, limits.maxTurns),
      timeout: number(request.timeout, definition.timeout, limits.timeout),
    },
    toolReport: report,
  });
}

/** A parent that bypasses everything has already decided; otherwise an agent may only be narrower than its parent. */
export function modeOf(definition: AgentDefinition, parent: PermissionMode): PermissionMode {
  return parent === "default" && definition.permissionMode === "plan" ? "plan" : parent;
}

/** What people see of a task that nobody described. */
function firstWords(prompt: string): string {
  const line = prompt.trimStart().split("\n", 1)[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 59).toWellFormed()}…` : line;
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
