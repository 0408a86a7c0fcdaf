import type { AgentDefinition } from "../definitions/definition.ts";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { mainAgentId, newAgentId, type AgentId, type SessionId } from "../contract/ids.ts";
import type {
  ModeRecord,
  PermissionMode,
  PermissionPolicy,
  ResolvedAgent,
  Workspace,
} from "../contract/resolved-agent.ts";
import type { Models } from "../model/models.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { Limits, Settings } from "../settings/settings.ts";
import type { SpawnRequest } from "../contract/spawn-request.ts";
import type { Tool } from "../tools/tool.ts";
import type { Environment } from "./environment.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { definitionHash } from "./definition-hash.ts";
import { memoryProblem } from "./memory.ts";
import { resolveModel } from "./model.ts";
import { resolvePolicy } from "./policy.ts";
import { initialAttachments, systemPrompt, type LoadedFiles } from "./prompt.ts";

/** The session's facts for every agent in it. */
export interface Surroundings {
  readonly environment: Environment;
  readonly redactor: Pick<Redactor, "text">;
  /** Called with the reason why an agent gets less than its definition says. */
  readonly report: (diagnostic: Diagnostic) => void;
  readonly settings: Settings;
  readonly limits: Limits;
  readonly models: Models;
  readonly availableTools: readonly Tool[];
  /** Directory that `/x` in a rule is relative to. */
  readonly project: string;
  /** Whether the user trusts the folder. */
  readonly trusted: boolean;
  /** Workspace of the session's agents, unless one gets its own. */
  readonly workspace: Workspace;
  /** Directories of Retinue's own files. */
  readonly own: readonly string[];
  /** Directories in which only reading needs no approval. */
  readonly readable: readonly string[];
  /** Whether a definition may set `bypassPermissions`. */
  readonly allowsBypass: boolean;
  /** The host's mode for every child. */
  readonly childMode: PermissionMode | undefined;
  /** `CLAUDE_CODE_SUBAGENT_MODEL` */
  readonly subagentModel: string | undefined;
}

/** The inheritance of an agent from its parent, or from the session. */
export interface Inherited {
  readonly permissions: Pick<PermissionPolicy, "rules" | "confined" | "takesSessionGrants">;
  readonly mode: ModeRecord;
}

/** The asker of an agent, and the inheritance from it. */
export interface Origin {
  readonly sessionId: SessionId;
  readonly parentId: AgentId | null;
  /** The parent's call that requested the agent. */
  readonly toolUseId: string | null;
  readonly parentModel: string | undefined;
  /** Workspace of the agent: its parent's, or the session's. */
  readonly workspace: Workspace;
  /** Rules and mode of the asker, an agent or else the session: they bind the child too. */
  readonly meets: Inherited;
  /** Whether a model asks, not the host. */
  readonly byModel: boolean;
  /** Depth; 0 for the main agent. */
  readonly depth: number;
  /** Names from the main agent to the asker, for display. */
  readonly path: readonly string[];
}

/**
 * Resolves a definition and a request into one frozen record. Explicit beats declared beats inherited beats default.
 */
export async function resolveAgent(
  definition: AgentDefinition,
  request: SpawnRequest,
  context: { origin: Origin; background: boolean; found: LoadedFiles; surroundings: Surroundings },
): Promise<ResolvedAgent> {
  const { origin, found, surroundings } = context;
  const { limits, models, settings } = surroundings;
  const environment = surroundings.environment.at(origin.workspace.cwd);
  const { model, from } = resolveModel({
    environment: origin.depth === 0 ? undefined : surroundings.subagentModel,
    call: request.model,
    definition: definition.model,
    parent: origin.parentModel,
    settings,
  });
  const canSearch = models.for({ costs: { model } }).search !== undefined;
  const {
    policy,
    mode,
    tools: resolved,
  } = resolvePolicy(definition, request, {
    ...context,
    canSearch,
  });
  const { tools, spawn, report, refusal } = resolved;
  if (refusal !== null) throw refusal;
  const withoutMemory = memoryProblem(definition, environment);
  if (withoutMemory !== null) surroundings.report(withoutMemory);
  const effort = request.effort ?? definition.effort ?? null;

  return deepFreeze({
    id: origin.depth === 0 ? mainAgentId(origin.sessionId) : newAgentId(),
    sessionId: origin.sessionId,
    type: definition.name,
    name: request.name ?? null,
    description: describe(request, surroundings.redactor),
    color: definition.color ?? null,
    workspace: origin.workspace,
    definitionHash: definitionHash(definition),
    sees: {
      system: await systemPrompt(definition, environment, model),
      attachments: await initialAttachments({
        definition,
        environment,
        found,
        spawn,
      }),
      reminder: definition.criticalSystemReminder_EXPERIMENTAL ?? null,
    },
    can: { tools, spawn },
    meets: {
      permissions: policy,
      mode,
      env: settings.env,
      passes: settings.passEnvironment,
    },
    relates: {
      parentId: origin.parentId,
      toolUseId: origin.toolUseId,
      depth: origin.depth,
      path: [...origin.path, request.name ?? definition.name],
      background: context.background,
      oneShot: definition.oneShot ?? false,
    },
    costs: {
      model,
      provider: models.providerOf(model),
      modelFrom: from,
      effort,
      thinks: origin.depth === 0 || effort !== null,
      maxTurns: request.max_turns ?? definition.maxTurns ?? limits.maxTurns,
      timeout: request.timeout ?? definition.timeout ?? limits.timeout,
      priority: request.priority ?? definition.priority ?? 0,
    },
    toolReport: report,
  });
}

/** The description, for display only. Redacted before it is cut, because half a secret cannot be recognised. */
function describe(
  { description, prompt = "" }: SpawnRequest,
  redactor: Pick<Redactor, "text">,
): string {
  return description ? redactor.text(description) : firstWords(redactor.text(prompt));
}

/** The beginning of a task without a description, for display. */
function firstWords(prompt: string): string {
  const line = prompt.trimStart().split("\n", 1)[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 59).toWellFormed()}…` : line;
}
