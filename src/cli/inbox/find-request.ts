import { RetinueError } from "../../contract/errors.ts";
import { findRequests, findSettled, type FoundRequest } from "../../inbox/find-requests.ts";
import { ambiguous, settledBefore } from "../../inbox/settlements.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";

/** The open request with this id or id prefix, of any process. */
export function findRequest(text: string): FoundRequest {
  const isMeant = (id: string): boolean => text !== "" && id.startsWith(text);
  const [first, ...others] = findRequests(defaultConfigDir()).filter(({ request }) =>
    isMeant(request.id),
  );
  if (others.length > 0 && first !== undefined)
    throw ambiguous(
      text,
      [first, ...others].map(({ request }) => request.id),
    );
  if (first !== undefined) return first;
  const settled = findSettled(defaultConfigDir()).findLast(({ id }) => isMeant(id));
  if (settled !== undefined)
    throw settledBefore(settled.id, settled.by ?? "its agent, which no longer waits");
  throw new RetinueError(
    "unknown_task",
    `There is no open request '${text}'. 'retinue approvals' lists them.`,
  );
}
