import { z } from "zod";
import { RetinueError } from "../contract/errors.ts";
import { parseAgentId, type AgentId, type SessionId } from "../contract/ids.ts";
import { ownRules } from "../lifecycle/history/stored-agent.ts";
import { allowRule } from "../permissions/rules/allow-rule.ts";
import {
  permissionModes,
  type AgentMemory,
  type ModeRecord,
  type PermissionMode,
  type ResolvedAgent,
  type WorkingMode,
} from "../contract/resolved-agent.ts";
import { effortSchema, type Effort } from "../contract/spawn-request.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { resolveModel } from "./model.ts";
import { policyAt } from "./policy.ts";
import { sessionMode } from "./permission-mode.ts";
import { keepsApproval, renewMode, type SettledMode } from "./renew-mode.ts";
import type { Inherited, Surroundings } from "./resolve.ts";
import { workspaceNow } from "./workspace.ts";

const id = z.custom<AgentId>(
  (value) => typeof value === "string" && parseAgentId(value) !== undefined,
);
const texts = z.array(z.string());
const mode = z.enum(permissionModes);
const workingMode = mode.exclude(["delegate"]);

const storedAgentSchema = z.object({
  id,
  type: z.string(),
  name: z.string().nullable(),
  description: z.string(),
  color: z.string().nullable(),
  workspace: z.object({ cwd: z.string(), branch: z.string().nullable() }),
  definitionHash: z.string(),
  sees: z.object({ system: z.string(), reminder: z.string().nullable() }),
  can: z.object({
    tools: texts,
    spawn: z.discriminatedUnion("allowed", [
      z.object({ allowed: z.literal(false) }),
      z.object({ allowed: z.literal(true), types: z.union([z.literal("any"), texts]) }),
    ]),
  }),
  permissions: z.object({
    mode,
    /** Absent from records of earlier versions. */
    settled: z
      .object({
        from: z.enum(["session", "parent", "definition", "call", "host"]),
        refused: z.string().nullable(),
        neverAsks: z.boolean(),
        children: workingMode,
        afterPlan: workingMode.nullable(),
        session: mode,
      })
      .optional(),
    takesSessionGrants: z.boolean(),
    confined: z.array(
      z.union([
        z.object({ readOnly: z.union([z.literal(true), z.literal("unless-allowed")]) }),
        z.object({ tools: texts, rules: texts }),
      ]),
    ),
    memory: z.object({ directory: z.string().nullable(), tools: texts }).nullable(),
    own: texts,
  }),
  relates: z.object({
    parentId: id.nullable(),
    toolUseId: z.string().nullable(),
    depth: z.number(),
    path: texts,
    background: z.boolean(),
    oneShot: z.boolean(),
  }),
  costs: z.object({
    model: z.string(),
    modelFrom: z.string(),
    effort: effortSchema.nullable(),
    thinks: z.boolean(),
    maxTurns: z.number(),
    timeout: z.number(),
    priority: z.number().default(0),
  }),
});

export type StoredAgent = z.infer<typeof storedAgentSchema>;

/** Parses an agent as its transcript holds it. Throws for a record that this version does not understand. */
export function readStoredAgent(record: unknown, agentId: string): StoredAgent {
  const parsed = storedAgentSchema.safeParse(record);
  if (parsed.success) return parsed.data;
  throw new RetinueError(
    "unsupported",
    `Agent ${agentId} cannot be resumed: its transcript does not contain its configuration. Spawn a new agent.`,
  );
}

/** The differences from the last run. */
export interface Changes {
  readonly id?: AgentId;
  readonly model?: string | undefined;
  readonly effort?: Effort | undefined;
  /** Applied only if it is narrower than the agent's own mode. */
  readonly mode?: PermissionMode | undefined;
  readonly maxTurns?: number | undefined;
  readonly timeout?: number | undefined;
  readonly background?: boolean | undefined;
  /** Whether the agent has no parent, unlike the one that it is a copy of. */
  readonly byItself?: boolean;
  /** The parent's call that resumes the agent. */
  readonly toolUseId?: string | undefined;
}

/**
 * The frozen record of a resumed agent: its prompts and tools stay the same, so that the provider's cache still
 * matches; its permissions follow the present settings and host.
 */
export function renewAgent(
  stored: StoredAgent,
  context: {
    sessionId: SessionId;
    surroundings: Surroundings;
    /** The session's mode. */
    meets: Inherited;
    /** The parent's mode, if the parent is in memory. */
    parentMode: ModeRecord | undefined;
    /** The directory for the notes of a new agent of its type; `null`: none. */
    memory: string | null;
    changes: Changes;
  },
): ResolvedAgent {
  const { surroundings, changes } = context;
  const { permissions, relates, costs, sees, ...rest } = stored;
  const { settings } = surroundings;
  const rules = [
    ...context.meets.permissions.rules,
    // Checked when the agent was spawned; a tool that a rule names may be gone since.
    ...permissions.own.map((rule) => allowRule(rule, ownRules)),
  ];
  const workspace = workspaceNow(stored, surroundings.workspace);
  const { mode, record } = modeNow(stored, context);
  return deepFreeze({
    ...rest,
    id: changes.id ?? stored.id,
    sessionId: context.sessionId,
    workspace,
    // A name belongs to one agent.
    name: changes.byItself === true ? null : rest.name,
    sees: { ...sees, attachments: [] },
    meets: {
      permissions: policyAt(workspace, surroundings, {
        mode,
        rules,
        takesSessionGrants: permissions.takesSessionGrants,
        confined: permissions.confined,
        memory: memoryNow(permissions.memory, context.memory),
      }),
      mode: record,
      env: settings.env,
      passes: settings.passEnvironment,
    },
    relates: {
      ...relates,
      background: changes.background ?? relates.background,
      toolUseId: changes.toolUseId ?? relates.toolUseId,
      ...(changes.byItself === true ? alone(relates.depth) : {}),
    },
    costs: {
      ...costs,
      ...modelNow(changes.model, stored, surroundings),
      effort: changes.effort ?? costs.effort,
      maxTurns: changes.maxTurns ?? costs.maxTurns,
      timeout: changes.timeout ?? costs.timeout,
    },
    toolReport: [],
  });
}

/** The agent's earlier memory, if a new agent of its type would have the same. Its tools stay bound to it. */
function memoryNow(before: AgentMemory | null, now: string | null): AgentMemory | null {
  return before && { ...before, directory: before.directory === now ? now : null };
}

function alone(depth: number): Partial<ResolvedAgent["relates"]> {
  return { parentId: null, toolUseId: null, background: false, depth: Math.max(depth, 1) };
}

type RenewContext = Parameters<typeof renewAgent>[1];

function modeNow(
  stored: StoredAgent,
  { surroundings, meets, parentMode, changes }: RenewContext,
): SettledMode {
  return renewMode(settledBefore(stored), {
    session: meets.mode,
    parent: parentMode,
    isMain: stored.relates.depth === 0,
    hasParent: stored.relates.parentId !== null,
    wanted: changes.mode,
    allowsBypass: surroundings.allowsBypass,
  });
}

/** Whether a plan that was approved in the resumed task is still approved. */
export function keepsApprovedPlan(
  stored: StoredAgent,
  { meets }: ResolvedAgent,
  wanted: PermissionMode | undefined,
): boolean {
  const now = { mode: meets.permissions.mode, record: meets.mode };
  return keepsApproval(settledBefore(stored), now, wanted);
}

function settledBefore({ permissions, relates }: StoredAgent): SettledMode {
  const { mode, settled } = permissions;
  if (settled !== undefined) return { mode, record: settled };
  const back: WorkingMode | null = mode === "plan" && relates.parentId === null ? "default" : null;
  return { mode, record: { ...sessionMode(mode), afterPlan: back } };
}

/** The model stays unless the caller names another; its provider is one of this session. */
function modelNow(
  call: string | undefined,
  { costs, relates }: StoredAgent,
  { models, settings, subagentModel }: Surroundings,
): Pick<ResolvedAgent["costs"], "model" | "provider" | "modelFrom"> {
  const { model, modelFrom } = costs;
  if (call === undefined) return { model, modelFrom, provider: models.providerOf(model) };
  const environment = relates.depth === 0 ? undefined : subagentModel;
  const voices = { environment, call, definition: undefined, parent: model, settings };
  const now = resolveModel(voices);
  return { model: now.model, modelFrom: now.from, provider: models.providerOf(now.model) };
}
