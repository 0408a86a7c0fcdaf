import type { ResolvedAgent } from "../../contract/resolved-agent.ts";
import { metered, type Account, type MeteredModel } from "../../model/metered.ts";
import type { Session } from "../session.ts";

/** Gives a run its model, with the agent's account: every request of the run goes through it. */
export function openModel({
  agent,
  session,
  emit,
}: {
  agent: ResolvedAgent;
  session: Pick<Session, "models" | "prices" | "clock">;
  emit: Account["emit"];
}): { model: MeteredModel } {
  const { models, prices, clock } = session;
  return { model: metered(models.for(agent), { prices, now: () => clock.now(), emit }) };
}
