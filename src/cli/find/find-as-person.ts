import type { FoundRequest } from "../../inbox/find-requests.ts";
import { Caller, onlyPersons } from "./caller.ts";
import { findRequest } from "../inbox/find-request.ts";

/** The open request that somebody wants to answer, who must not be an agent; and what the asking process started is no person. */
export async function findAsPerson(id: string): Promise<FoundRequest> {
  const caller = await Caller.read();
  if (!caller.isPerson) throw onlyPersons("answer");
  const found = findRequest(id);
  if (!found.processEnded && caller.above.some(({ pid }) => pid === found.pid))
    throw onlyPersons("answer");
  return found;
}
