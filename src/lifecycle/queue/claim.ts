import type { ResolvedAgent } from "../../contract/resolved-agent.ts";

/** A request to run: the parent, the priority, and the limits that apply. */
export interface Claim {
  /** `null`: an agent of the host itself. */
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
