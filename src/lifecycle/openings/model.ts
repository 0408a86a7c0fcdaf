import { metered } from "../../model/metered.ts";
import type { Contribution, StartedRun } from "./opening.ts";

/** Gives a run its model, with the agent's account: every request of the run goes through it. */
export function openModel({ agent, session, emit }: StartedRun): Contribution {
  const { models, prices, clock } = session;
  return { model: metered(models.for(agent), { prices, now: () => clock.now(), emit }) };
}
