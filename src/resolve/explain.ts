import type { Candidate, Catalog } from "../definitions/catalog.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import type { Skill } from "../definitions/skill.ts";
import { findSkill } from "../definitions/skills.ts";
import { sources } from "../definitions/sources.ts";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { isAbout, parseRule } from "../permissions/rules/rule.ts";
import { answerCost } from "../model/prices.ts";
import type {
  ModeRecord,
  PermissionMode,
  SpawnRights,
  ToolDecision,
} from "../contract/resolved-agent.ts";
import type { Limits, Settings } from "../settings/settings.ts";
import { toolSpec, type Tool } from "../tools/tool.ts";
import type { Environment } from "./environment.ts";
import { memoryDirectory, memoryProblem } from "./memory.ts";
import { resolveModel } from "./model.ts";
import { readOnlyOf } from "./policy.ts";
import { initialAttachments, systemPrompt } from "./prompt.ts";
import { isolationRefusal } from "./refusal.ts";
import { isHostDefinition, resolveMode } from "./permission-mode.ts";
import { resolveTools } from "./tools.ts";

/** The decision about a request for an agent type, and why. Nothing is started to find out. */
export interface Explanation {
  readonly type: string;
  readonly description: string;
  readonly source: AgentDefinition["source"];
  readonly priority: number;
  readonly file: string | null;
  /** Others of its name, and why they were passed over. */
  readonly passedOver: readonly { file: string | null; source: string; why: string }[];
  readonly model: { readonly id: string; readonly from: string };
  /** `refused`: the mode that was requested and would be refused. */
  readonly permissionMode: {
    readonly mode: PermissionMode;
    readonly from: string;
    readonly refused: string | null;
  };
  /** `useless`: the reason why a tool is offered although every call of it is denied or asked about. */
  readonly tools: readonly (ToolDecision & { useless: string | null })[];
  /** Reason why the agent cannot be started, if it cannot. */
  readonly refusal: string | null;
  readonly spawns: SpawnRights;
  readonly mcpServers: readonly string[];
  readonly hooks: readonly string[];
  /** Skills that the definition names, and what was found. */
  readonly skills: readonly { name: string; file: string | null; problem: string | null }[];
  readonly memory: string | null;
  readonly runs: {
    readonly background: boolean;
    readonly maxTurns: number;
    readonly timeoutMs: number;
    /** Priority in the line for a slot. */
    readonly priority: number;
  };
  readonly prompt: {
    /** Estimates, four characters to a token; the state of the repository is not counted. */
    readonly tokens: { tools: number; system: number; attachments: number };
    /** Tokens of tools and system prompt, which siblings of one type share. */
    readonly cachedPrefix: number;
    /** Cost of the first request without its answer, in US dollars; `null`: unknown. */
    readonly firstRequestUsd: number | null;
  };
  readonly diagnostics: readonly Diagnostic[];
}

export async function explainAgent(
  type: string,
  context: {
    catalog: Catalog;
    diagnostics: readonly Diagnostic[];
    skills: readonly Skill[];
    settings: Settings;
    limits: Limits;
    availableTools: readonly Tool[];
    environment: Environment;
    subagentModel: string | undefined;
    /** The session's own mode, and the host's mode for children. */
    mode: ModeRecord;
    childMode: PermissionMode | undefined;
    allowsBypass: boolean;
  },
): Promise<Explanation> {
  const { catalog, settings, limits, environment, availableTools } = context;
  const definition = catalog.find(type);
  if (definition === undefined) throw catalog.notFound(type);
  const { id, from } = modelOf(definition, context);
  const { mode, record } = resolveMode({
    parent: context.mode,
    hasParent: true,
    session: context.mode.session,
    isMain: false,
    host: context.childMode,
    definition: definition.permissionMode,
    isHostDefinition: isHostDefinition(definition),
    call: undefined,
    allowsBypass: context.allowsBypass,
  });
  const memory = memoryDirectory(definition, environment);
  const { tools, spawn, report, refusal } = toolsOf(definition, {
    available: availableTools,
    denied: settings.permissions.deny,
    atDepthLimit: limits.maxSpawnDepth <= 1,
    backgroundMcp: settings.background.mcp,
    mode,
    memory,
  });
  const forbidding = (["deny", "ask"] as const).flatMap((kind) =>
    settings.permissions[kind].map((rule) => parseRule({ kind, rule, source: "" })),
  );
  const effects = new Map(availableTools.map(({ name, effect }) => [name, effect]));
  const uselessness = ({ tool, kept }: ToolDecision): string | null => {
    if (!kept) return null;
    const rule = forbidding.find(
      (one) => one.specifier === null && isAbout(one, tool, effects.get(tool)),
    );
    if (rule === undefined) return null;
    const what = rule.kind === "deny" ? "denied" : "asked about";
    return `every call is ${what}: '${rule.rule}' in permissions.${rule.kind}`;
  };
  const specs = availableTools.filter(({ name }) => tools.includes(name)).map(toolSpec);
  const system = await systemPrompt({ ...definition, omitGitStatus: true }, environment, id);
  const found = { catalog, instructions: () => environment.instructions() };
  const attachments = await initialAttachments({ definition, environment, found, spawn });
  const tokens = {
    tools: estimate(JSON.stringify(specs)),
    system: estimate(system),
    attachments: estimate(attachments.map(({ text }) => text).join("")),
  };
  const usage = {
    input: tokens.tools + tokens.system + tokens.attachments,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
  };
  return {
    type: definition.name,
    description: definition.description,
    source: definition.source,
    priority: sources[definition.source],
    file: definition.file,
    passedOver: catalog.candidates().flatMap((candidate) => othersOf(candidate, definition)),
    model: { id, from },
    permissionMode: { mode, from: record.from, refused: record.refused },
    tools: report.map((decision) => ({ ...decision, useless: uselessness(decision) })),
    refusal: refusal?.message ?? isolationRefusal(definition),
    spawns: spawn,
    mcpServers: (definition.mcpServers ?? []).map(({ name }) => name),
    hooks: Object.keys(definition.hooks ?? {}),
    skills: (definition.skills ?? []).map((name) => skillOf(name, definition, context.skills)),
    memory,
    runs: {
      background: definition.background ?? false,
      maxTurns: definition.maxTurns ?? limits.maxTurns,
      timeoutMs: definition.timeout ?? limits.timeout,
      priority: definition.priority ?? 0,
    },
    prompt: {
      tokens,
      cachedPrefix: tokens.tools + tokens.system,
      firstRequestUsd: answerCost({ model: id, usage }, settings.prices),
    },
    diagnostics: [
      ...context.diagnostics.filter(({ file }) => file === definition.file),
      ...[memoryProblem(definition, environment)].filter((problem) => problem !== null),
    ],
  };
}

function modelOf(
  definition: AgentDefinition,
  { settings, subagentModel }: { settings: Settings; subagentModel: string | undefined },
): { id: string; from: string } {
  const { model, from } = resolveModel({
    environment: subagentModel,
    call: undefined,
    definition: definition.model,
    parent: undefined,
    settings,
  });
  return { id: model, from: from === "default" ? "the parent's, else the setting 'model'" : from };
}

function toolsOf(
  definition: AgentDefinition,
  question: Pick<
    Parameters<typeof resolveTools>[0],
    "available" | "denied" | "atDepthLimit" | "backgroundMcp" | "mode" | "memory"
  >,
): ReturnType<typeof resolveTools> {
  const whole = {
    ...question,
    type: definition.name,
    readOnly: readOnlyOf(definition) !== null,
    wanted: definition.tools,
    unwanted: definition.disallowedTools,
    isMain: false,
    background: definition.background ?? false,
  };
  return resolveTools(whole);
}

function skillOf(
  wanted: string,
  { name, source }: AgentDefinition,
  skills: readonly Skill[],
): Explanation["skills"][number] {
  const plugin = source === "plugin" ? name.split(":")[0] : undefined;
  const found = findSkill(skills, wanted, plugin);
  if (found.kind === "skill") return { name: wanted, file: found.skill.file, problem: null };
  return { name: wanted, file: null, problem: found.message };
}

function othersOf(
  { definition, passedOver }: Candidate,
  winner: AgentDefinition,
): Explanation["passedOver"] {
  if (definition.name !== winner.name || passedOver === null) return [];
  return [{ file: definition.file, source: definition.source, why: passedOver }];
}

function estimate(text: string): number {
  return Math.ceil(text.length / 4);
}
