import { RetinueError } from "../contract/errors.ts";
import { requestDigest } from "../inbox/canonical.ts";
import type { Inbox } from "../inbox/inbox.ts";
import type { Answer } from "../inbox/request.ts";
import type { ControlRequest } from "./protocol.ts";

/**
 * Applies an answer from the socket, sent by a process that may speak as the user. Throws the inbox's errors, and
 * `invalid_request` if the person saw another request than the open one.
 */
export async function takeAnswer(
  { params, pid }: Extract<ControlRequest, { method: "answer" }>,
  inbox: Pick<Inbox, "list" | "answer">,
): Promise<{ taken: true }> {
  const { id, digest, answer } = params;
  const request = inbox.list().find((one) => one.id === id);
  if (request !== undefined && requestDigest(request) !== digest)
    throw new RetinueError(
      "invalid_request",
      `The answer is not for request ${id}, or the request's file was changed. Run 'retinue approvals' again.`,
    );
  await inbox.answer(id, answer as Answer, terminalName(pid));
  return { taken: true };
}

/** The name of an answering terminal, in the log and for the agent. */
export function terminalName(pid: number | undefined): string {
  return `terminal (pid ${pid})`;
}
