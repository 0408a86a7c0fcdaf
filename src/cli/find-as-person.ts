import { RetinueError } from "../errors.ts";
import type { FoundRequest } from "../inbox/find-requests.ts";
import { Caller } from "./caller.ts";
import { findRequest } from "./find-request.ts";

/** The open request that somebody wants to answer, who must not be an agent; and what the asking process started is no person. */
export async function findAsPerson(id: string): Promise<FoundRequest> {
  const caller = await Caller.read();
  if (!caller.isPerson) throw onlyPersons();
  const found = findRequest(id);
  if (!found.processEnded && caller.above.some(({ pid }) => pid === found.pid)) throw onlyPersons();
  return found;
}

function onlyPersons(): RetinueError {
  return new RetinueError(
    "invalid_request",
    "This runs inside an agent, and only a person can answer. Use a terminal of your own.",
  );
}
