import { setTimeout } from "node:timers/promises";
import { RetinueError } from "../errors.ts";
import { settlementOf, type FoundRequest } from "./find-requests.ts";
import type { Answer } from "./request.ts";
import { settledBefore } from "./settlements.ts";

const patience = 10_000;
const pause = 20;

/**
 * Answers a request of another process and waits until that has applied it; `false`: it has not looked yet, and the
 * answer lies there for it. Throws where the process has ended, where somebody else was faster, and what the other
 * process says is wrong with the answer.
 */
export async function answerFromOutside(found: FoundRequest, answer: Answer): Promise<boolean> {
  const { request, files } = found;
  if (found.processEnded)
    throw new RetinueError(
      "closed",
      `${request.id} cannot be answered now: the process that asked has ended. It is kept for when its session is resumed.`,
    );
  const by = `terminal (pid ${process.pid})`;
  if (!files.leaveAnswer(request.id, answer, by))
    throw settledBefore(request.id, "another terminal");
  const until = performance.now() + patience;
  while (files.has(request.id)) {
    const refusal = files.takeRefusal(request.id);
    if (refusal !== undefined) throw new RetinueError("invalid_request", refusal);
    if (performance.now() > until) return false;
    await setTimeout(pause);
  }
  const settlement = settlementOf(found);
  if (settlement === undefined || settlement.by === by) return true;
  // Left in the instant in which the other one was applied: nobody will look for it.
  files.remove(request.id);
  throw settledBefore(request.id, settlement.by ?? "its agent, which no longer waits");
}
