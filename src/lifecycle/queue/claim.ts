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

/** `provider` answers for models whose id names none (`provider/model`). */
export function claimOf(agent: ResolvedAgent, provider: string): Claim {
  const { model, priority } = agent.costs;
  const slash = model.indexOf("/");
  return {
    parent: agent.relates.parentId,
    priority,
    type: agent.type,
    model,
    provider: slash > 0 ? model.slice(0, slash) : provider,
  };
}
