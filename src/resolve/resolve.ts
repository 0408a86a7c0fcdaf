import type { Catalog } from "../definitions/catalog.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import type { AgentId, SessionId } from "../ids.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import type { Limits, Settings } from "../settings/settings.ts";
import type { SpawnRequest } from "../spawn-request.ts";
import type { Environment } from "./environment.ts";
import { resolveModel } from "./model.ts";
import { firstOf } from "./precedence.ts";
import { initialAttachments, systemPrompt } from "./prompt.ts";
import { resolveTools } from "./tools.ts";

/** Everything that has a say in what an agent will be. */
export interface ResolveContext {
  id: AgentId;
  sessionId: SessionId;
  /** Who asked: absent for the host. */
  parent: { id: AgentId; depth: number; model: string; toolUseId: string | null } | null;
  depth: number;
  background: boolean;
  catalog: Catalog;
  environment: Environment;
  settings: Settings;
  limits: Limits;
  availableTools: readonly string[];
  allowedTools: readonly string[];
  readableDirectories: readonly string[];
  subagentModel: string | undefined;
}

/** A definition and a request become one frozen record. Explicit beats declared beats inherited beats default. */
export async function resolveAgent(
  definition: AgentDefinition,
  request: SpawnRequest,
  context: ResolveContext,
): Promise<ResolvedAgent> {
  const { parent, depth, environment, limits, settings } = context;
  const { model, from } = resolveModel({
    environment: depth === 0 ? undefined : context.subagentModel,
    call: request.model,
    definition: definition.model,
    parent: parent?.model,
    settings,
  });
  const { tools, spawn, report } = resolveTools({
    type: definition.name,
    available: context.availableTools,
    wanted: definition.tools,
    unwanted: definition.disallowedTools,
    atDepthLimit: depth >= limits.maxSpawnDepth,
  });
  const number = (call: number | undefined, own: number | undefined, fallback: number): number =>
    firstOf([
      ["call", call],
      ["definition", own],
    ])?.value ?? fallback;

  return deepFreeze({
    id: context.id,
    sessionId: context.sessionId,
    type: definition.name,
    name: request.name ?? null,
    description: request.description,
    color: definition.color ?? null,
    cwd: environment.cwd,
    sees: {
      system: await systemPrompt(definition, environment, model),
      attachments: await initialAttachments({
        definition,
        environment,
        catalog: context.catalog,
        spawn,
      }),
      reminder: definition.criticalSystemReminder_EXPERIMENTAL ?? null,
    },
    can: { tools, spawn },
    meets: {
      permissions: {
        allowedTools: request.allowedTools ?? context.allowedTools,
        readableDirectories: [environment.cwd, ...context.readableDirectories],
      },
    },
    relates: {
      parentId: parent?.id ?? null,
      toolUseId: parent?.toolUseId ?? null,
      depth,
      background: context.background,
      oneShot: definition.oneShot ?? false,
    },
    costs: {
      model,
      modelFrom: from,
      maxTurns: number(request.max_turns, definition.maxTurns, limits.maxTurns),
      timeout: number(request.timeout, definition.timeout, limits.timeout),
    },
    toolReport: report,
  });
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
