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
  /** Whether the input is that of the question asked ahead, and not of a call. */
  isThis(input: Record<string, unknown>): boolean;
  /** Whether nothing of it would be asked any more if these rules were allowed too. */
  isCoveredBy(rules: readonly SourcedRule[]): boolean;
}

/**
 * Asks ahead for a background agent: at its start a person reads, once, which tools it would ask for. The agent does
 * not wait for the answer. Allowed rules are valid from then on; after any other answer each call is asked as usual.
 * When the agent has ended (`dispose`), the question is withdrawn.
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
  // By policy, an answer may be valid for one call only.
  if (settings.allowManagedPermissionRulesOnly) return false;
  return relates.background && inbox.attended && settings.background.prompts === "inbox";
}

/** An input that represents any call: a command and a host without a rule, and a new file in the agent's directory. */
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

/** The rule for a tool. A rule for `Edit` matches every tool that changes files. */
function ruleFor({ name, effect }: Tool): string {
  return effect === "edit" ? "Edit" : name;
}
