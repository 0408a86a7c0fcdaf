import { join } from "node:path";
import type { Approvals } from "../../loop/approve.ts";
import { allowRule } from "../../permissions/rules/allow-rule.ts";
import { decide } from "../../permissions/decide.ts";
import type { SourcedRule } from "../../permissions/decision.ts";
import { realGround } from "../../permissions/ground.ts";
import { Rulebook } from "../../permissions/policy.ts";
import type { ResolvedAgent } from "../../contract/resolved-agent.ts";
import { loadShellParser } from "../../permissions/shell/parser.ts";
import { askedBy } from "./asked-by.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Session } from "../session.ts";

/** One request about all that an agent in the background will have to ask for. */
export interface AskedAhead extends Disposable {
  /** Whether this is what the request is about, and not a call. */
  isThis(input: Record<string, unknown>): boolean;
  /** Whether nothing of it would be asked any more if these rules were allowed too. */
  isCoveredBy(rules: readonly SourcedRule[]): boolean;
}

/**
 * An agent in the background has no audience, so a person who is there hears at its start what it would ask for, once. It does
 * not wait for the answer. Rules that are allowed hold from then on; with any other answer each call is asked as ever. When
 * the agent has ended (`dispose`) nobody needs to answer.
 */
export async function askAhead(
  agent: ResolvedAgent,
  session: Session,
  approvals: Approvals,
): Promise<AskedAhead> {
  if (!isWorthAsking(agent, session)) return nothing;
  await loadShellParser();
  const over = new AbortController();
  const tools = agent.can.tools.flatMap((name) => session.tools.get(name) ?? []);
  const rules = rulesToAskFor(agent, tools, approvals.grants());
  const input = {
    subagent_type: agent.type,
    description: agent.description,
    tools: tools.filter((tool) => rules.includes(ruleFor(tool))).map(({ name }) => name),
  };
  if (rules.length > 0) {
    const reason = `The agent runs in the background and needs permission for ${input.tools.join(", ")}. If you allow it, this agent uses them without asking; otherwise it asks for each call.`;
    const request = { kind: "permission", reason, part: null, suggestions: rules } as const;
    session.inbox
      .ask({ ...askedBy(agent, { name: "Agent", input }), ...request }, over.signal)
      // The agent has ended, or the session has.
      .catch(() => undefined);
  }
  return {
    isThis: (other) => other === input,
    isCoveredBy: (more) =>
      rulesToAskFor(agent, tools, [...approvals.grants(), ...more]).length === 0,
    [Symbol.dispose]: () => over.abort(),
  };
}

const nothing: AskedAhead = {
  isThis: () => false,
  isCoveredBy: () => false,
  [Symbol.dispose]: () => undefined,
};

function isWorthAsking({ relates, meets }: ResolvedAgent, { inbox, settings }: Session): boolean {
  if (meets.mode.neverAsks) return false;
  // By policy nothing that a person says may hold for longer than one call.
  if (settings.allowManagedPermissionRulesOnly) return false;
  return relates.background && inbox.attended && settings.background.prompts === "inbox";
}

/** Stands for any call: a command and a host that nobody has a rule for, a new file where the agent works. */
const example = { command: "some-program", url: "https://some-host.invalid/" };

/** The rules for whole tools that would keep this agent from asking. Where a rule wants each call asked, none can. */
function rulesToAskFor(
  { meets, workspace: { cwd } }: ResolvedAgent,
  tools: readonly Tool[],
  grants: readonly SourcedRule[],
): string[] {
  const ground = realGround(cwd);
  const verdict = ({ name, effect }: Tool, given: readonly SourcedRule[]): string => {
    const paths = [join(cwd, "some-file")];
    const call = { tool: name, effect, input: example, paths, agentType: () => "" };
    return decide(new Rulebook(meets.permissions, () => given, ground), call, { canAsk: true })
      .verdict;
  };
  const wanted = tools.flatMap((tool) => {
    const rule = ruleFor(tool);
    const granted = allowRule(rule, "a grant");
    const helps =
      verdict(tool, grants) === "ask" && verdict(tool, [...grants, granted]) === "allow";
    return helps ? [rule] : [];
  });
  return [...new Set(wanted)];
}

/** A rule for `Edit` is about every tool that changes files. */
function ruleFor({ name, effect }: Tool): string {
  return effect === "edit" ? "Edit" : name;
}
