import type { GrantScope } from "../../inbox/request.ts";
import { judge, type Approvals } from "../../loop/approve.ts";
import { allowRule } from "../../permissions/rules/allow-rule.ts";
import type { ResolvedAgent } from "../../contract/resolved-agent.ts";
import type { Workbench } from "../../tools/workbench.ts";
import type { AskedAhead } from "./ask-ahead.ts";
import type { Session } from "../session.ts";

/**
 * Lets the inbox ask a running agent whether a grant settles one of its open questions: only the agent knows where it works and
 * what else it was granted. What it returns ends that.
 */
export function enrolJudge(options: {
  agent: ResolvedAgent;
  meets: () => ResolvedAgent["meets"];
  session: Session;
  workbench: Workbench;
  approvals: Approvals;
  ahead: AskedAhead;
}): () => void {
  const { agent, meets, session, workbench, approvals, ahead } = options;
  session.judges.set(agent.id, (rules, { tool: name, input }, scope) => {
    const { takesSessionGrants } = agent.meets.permissions;
    if (isForSession(scope) && !takesSessionGrants) return false;
    const tool = session.tools.get(name);
    const given = rules.map((rule) => allowRule(rule, "a grant"));
    if (ahead.isThis(input)) return ahead.isCoveredBy(given);
    const grants = [...approvals.grants(), ...given];
    const asker = {
      meets,
      workbench,
      approvals: { ...approvals, canAsk: () => true, grants: () => grants },
    };
    if (tool === undefined) return false;
    // Only a rule settles a question: a call that needs no approval any more was not approved by the grant.
    const { verdict, rule } = judge(asker, tool, input).decision;
    return verdict === "allow" && rule !== null;
  });
  return () => session.judges.delete(agent.id);
}

/** A rule for always is one for the running session too. */
function isForSession(scope: GrantScope): boolean {
  return scope === "session" || scope === "always";
}
