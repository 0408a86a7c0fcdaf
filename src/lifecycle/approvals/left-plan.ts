import type { ResolvedAgent } from "../../contract/resolved-agent.ts";

/** How an agent meets the user after its plan was approved. The same as before where an approved plan leads nowhere. */
export function leftPlan(meets: ResolvedAgent["meets"]): ResolvedAgent["meets"] {
  const { afterPlan } = meets.mode;
  if (meets.permissions.mode !== "plan" || afterPlan === null) return meets;
  return {
    ...meets,
    permissions: { ...meets.permissions, mode: afterPlan },
    mode: { ...meets.mode, children: afterPlan, afterPlan: null },
  };
}
