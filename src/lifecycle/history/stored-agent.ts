import type { ResolvedAgent } from "../../contract/resolved-agent.ts";

/** Source of the rules that a host gave to one agent only. */
export const ownRules = "the option allowedTools of spawn";

/**
 * The stored part of a resolved agent, from which another process can resume it. Rules of settings and of the session
 * are left out: those in force at the resume apply.
 */
export function storedAgent(agent: ResolvedAgent): object {
  const { toolReport: _, sees, meets, sessionId: __, workspace, ...rest } = agent;
  const { mode, takesSessionGrants, confined, memory, rules } = meets.permissions;
  const own = rules.filter(({ source }) => source === ownRules).map(({ rule }) => rule);
  return {
    ...rest,
    workspace: { cwd: workspace.cwd, branch: workspace.branch },
    sees: { system: sees.system, reminder: sees.reminder },
    permissions: { mode, settled: meets.mode, takesSessionGrants, confined, memory, own },
  };
}
