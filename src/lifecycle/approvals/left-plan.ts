import type { ResolvedAgent } from "../../contract/resolved-agent.ts";

/** The permissions of an agent after its plan was approved; unchanged if an approved plan has no effect. */
export function leftPlan(meets: ResolvedAgent["meets"]): ResolvedAgent["meets"] {
  const { afterPlan } = meets.mode;
  if (meets.permissions.mode !== "plan" || afterPlan === null) return meets;
  return {
    ...meets,
    permissions: { ...meets.permissions, mode: afterPlan },
    mode: { ...meets.mode, children: afterPlan, afterPlan: null },
  };
}
