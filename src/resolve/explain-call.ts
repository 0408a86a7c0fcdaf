import type { Catalog } from "../definitions/catalog.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import { explainDecision, type TraceLine } from "../permissions/decide.ts";
import type { Decision, SourcedRule } from "../permissions/decision.ts";
import { realGround } from "../permissions/ground.ts";
import { isKeptFromAsking } from "../permissions/kept-from-asking.ts";
import type { WrittenCall } from "../permissions/parse-call.ts";
import { Rulebook } from "../permissions/policy.ts";
import { wouldAllow, type WouldAllow } from "../permissions/rules/would-allow.ts";
import { allowRule } from "../permissions/rules/allow-rule.ts";
import { closest } from "../platform/closest.ts";
import type { AgentId } from "../contract/ids.ts";
import type { PermissionMode } from "../contract/resolved-agent.ts";
import { pathsOfCall } from "../tools/files/paths-of-call.ts";
import { definitionHash } from "./definition-hash.ts";
import { resolvePolicy, type PolicySurroundings } from "./policy.ts";
import type { Origin } from "./resolve.ts";

/** Whether a call of an agent would run, and why. Nothing runs to find out. */
export interface CallExplanation {
  readonly agent: string;
  readonly call: WrittenCall;
  /** Reason why the agent lacks the tool; `null`: it has it. Without the tool no decision is needed. */
  readonly missing: string | null;
  readonly mode: {
    readonly mode: PermissionMode;
    readonly from: string;
    /** Mode that was requested and would be refused. */
    readonly refused: string | null;
  };
  /** Decision as if a person could be asked, unless the definition and the settings forbid asking. */
  readonly decision: Decision;
  /** Rules that would allow the call, with remarks. */
  readonly wouldAllow: WouldAllow;
  /** Every consulted stage, with its verdict. */
  readonly trace: readonly TraceLine[];
}

/** Decides a call of an agent of this type, started by the host. */
export async function explainCall(
  call: WrittenCall,
  context: {
    definition: AgentDefinition;
    /** Whether it would be the session's main agent. */
    isMain: boolean;
    catalog: Catalog;
    /** The session's mode. */
    meets: Origin["meets"];
    surroundings: PolicySurroundings;
    /** Grants to agents with this definition. */
    grants: (agent: { type: string; definitionHash: string }) => readonly SourcedRule[];
  },
): Promise<CallExplanation> {
  const { definition, isMain, catalog, surroundings } = context;
  const { settings, environment } = surroundings;
  const background = !isMain && (definition.background ?? false);
  const origin = {
    meets: context.meets,
    parentId: isMain ? null : someParent,
    byModel: false,
    depth: isMain ? 0 : 1,
    workspace: surroundings.workspace,
  };
  const {
    policy,
    mode: settled,
    tools,
  } = resolvePolicy(definition, {}, { origin, background, canSearch: true, surroundings });
  const holder = { type: definition.name, definitionHash: definitionHash(definition) };
  const ground = realGround(environment.cwd);
  const bookWith = (rules: readonly string[]): Rulebook => {
    const added = rules.map((rule) => allowRule(rule, "added"));
    return new Rulebook(policy, () => [...context.grants(holder), ...added], ground);
  };
  const known = surroundings.availableTools.find(({ name }) => name === call.tool);
  const asked = {
    ...call,
    ...(known === undefined ? {} : { effect: known.effect }),
    paths: pathsOfCall(call.tool, call.input, { ...ground, tool: known }),
    agentType: (name?: string) => catalog.typeOf(name ?? settings.agents.defaultType),
  };
  const { neverAsks } = settled;
  const canAsk = !isKeptFromAsking({ background, mode: policy.mode, neverAsks }, settings);
  const explained = await explainDecision(bookWith([]), asked, { canAsk });
  const missing = whyMissing(call.tool, tools.report);
  return {
    agent: definition.name,
    call,
    missing,
    mode: { mode: policy.mode, from: settled.from, refused: settled.refused },
    ...explained,
    // No rule gives the agent a tool that it lacks.
    wouldAllow:
      missing === null
        ? wouldAllow(explained.decision, asked, bookWith)
        : { rules: [], note: null },
  };
}

/** The main agent as the parent, whatever its id. */
const someParent = "amain" as AgentId;

function whyMissing(
  tool: string,
  report: readonly { tool: string; kept: boolean; why: string }[],
): string | null {
  const found = report.find((one) => one.tool === tool);
  if (found !== undefined) return found.kept ? null : found.why;
  const meant = closest(
    tool,
    report.map((one) => one.tool),
  );
  return `no such tool here${meant === undefined ? "" : `; did you mean '${meant}'?`}`;
}
