import type { ResolvedAgent } from "../../contract/resolved-agent.ts";

/** What an agent that wants to run brings along: on whose behalf, how urgent, and which limits it counts against. */
export interface Claim {
  /** `null`: the host's own. */
  readonly parent: string | null;
  readonly priority: number;
  readonly type: string;
  readonly model: string;
  readonly provider: string;
}

export function claimOf({ type, relates, costs }: ResolvedAgent): Claim {
  const { model, provider, priority } = costs;
  return { parent: relates.parentId, priority, type, model, provider };
}
