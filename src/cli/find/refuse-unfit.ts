import { RetinueError } from "../../contract/errors.ts";

/** What `retinue resume` was told that may not go together. */
interface Told {
  id: string | undefined;
  all?: boolean;
  branch?: boolean;
  turn?: number;
  detach?: boolean;
}

/** Throws when something that was told would be passed over in silence. */
export function refuseUnfit({ id, all, branch, turn, detach }: Told): void {
  if (all === true && id !== undefined)
    throw unfit("Name an agent, and what it is to do, or say --all; not both.");
  if (all === true && branch === true)
    throw unfit("--branch copies one agent: name it, without --all.");
  if (all === true && detach === true)
    throw unfit("--all waits for its agents: leave out -d, or resume each with -d.");
  if (turn !== undefined && branch !== true)
    throw unfit("--turn says where a copy begins: add --branch, or leave it out.");
}

function unfit(message: string): RetinueError {
  return new RetinueError("invalid_request", message);
}
