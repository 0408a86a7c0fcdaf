import { dirname } from "node:path";
import { RetinueError } from "../contract/errors.ts";
import { requestDigest } from "../inbox/canonical.ts";
import { settlementOf, type FoundRequest } from "../inbox/find-requests.ts";
import type { Answer } from "../inbox/request.ts";
import { settledBefore } from "../inbox/settlements.ts";
import { reachSession } from "./reach-session.ts";
import { terminalName } from "./take-answer.ts";

/**
 * Answers a request of another process, over the socket of its session, and waits until that process has applied the
 * answer. Throws if the process has ended or cannot be reached, if another answer came first, or if the process refuses
 * the answer.
 */
export async function answerRequest(found: FoundRequest, answer: Answer): Promise<void> {
  const { request, files } = found;
  const { id } = request;
  if (found.processEnded)
    throw new RetinueError(
      "closed",
      `${id} cannot be answered now: the process that asked has ended. It is kept for when its session is resumed; 'retinue deny ${id}' removes it.`,
    );
  try {
    using client = await reachSession(dirname(files.directory), { deaf: () => deaf(found) });
    if (client === undefined) throw deaf(found);
    await client.call("answer", { id, digest: requestDigest(request), answer });
  } catch (error) {
    const lost = error instanceof RetinueError && isLost(error);
    // The log knows the outcome of a process that had no time to reply.
    const settlement = lost ? settlementOf(found) : undefined;
    if (settlement === undefined) throw lost && error.code === "not_running" ? gone(id) : error;
    if (settlement.by === terminalName(process.pid)) return;
    throw settledBefore(id, settlement.by ?? "its agent, which no longer waits");
  }
}

/** Whether the asking process did not reply to the answer. */
function isLost({ code }: RetinueError): boolean {
  return code === "unreachable" || code === "not_running";
}

function deaf({ request, pid }: FoundRequest): RetinueError {
  return new RetinueError(
    "unreachable",
    `${request.id} is still open: process ${pid}, which asked, has no socket to receive an answer. Its output says why. Answer there, or set XDG_RUNTIME_DIR to a directory of your own and start the process again.`,
  );
}

function gone(id: string): RetinueError {
  return new RetinueError(
    "not_running",
    `The process that asked closed the connection before it confirmed the answer. 'retinue approvals' shows whether ${id} is still open.`,
  );
}
