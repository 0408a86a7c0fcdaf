import type { Account, MeteredModel } from "../../model/metered.ts";
import { metered } from "../../model/metered.ts";
import type { Session } from "../session.ts";

/** Gives a run its model, with the agent's account: whatever the run asks a model goes through it. */
export function openModel({
  session,
  emit,
}: {
  session: Pick<Session, "model" | "prices" | "clock">;
  emit: Account["emit"];
}): { model: MeteredModel } {
  const { model, prices, clock } = session;
  return { model: metered(model, { prices, now: () => clock.now(), emit }) };
}
