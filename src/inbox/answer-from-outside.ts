import { setTimeout } from "node:timers/promises";
import { RetinueError } from "../errors.ts";
import { settlementOf, type FoundRequest } from "./find-requests.ts";
import type { Answer } from "./request.ts";
import { settledBefore } from "./settlements.ts";

const patience = 10_000;
const pause = 20;

/**
 * What became of an answer. `waiting`: the other process has not looked yet, and it lies there for it. `unknown`: the
 * request is settled, and the log does not say by whom.
 */
type Outcome = "applied" | "waiting" | "unknown";

/**
 * Answers a request of another process and waits until that has applied it. Throws where the process has ended, where
 * somebody else was faster, and what the other process says is wrong with the answer.
 */
export async function answerFromOutside(found: FoundRequest, answer: Answer): Promise<Outcome> {
  const { request, files } = found;
  if (found.processEnded)
    throw new RetinueError(
      "closed",
      `${request.id} cannot be answered now: the process that asked has ended. It is kept for when its session is resumed; 'retinue deny ${request.id}' removes it.`,
    );
  const by = `terminal (pid ${process.pid})`;
  if (!files.leaveAnswer(request.id, answer, by))
    throw settledBefore(request.id, "another terminal");
  const until = performance.now() + patience;
  while (files.has(request.id)) {
    const refusal = files.takeRefusal(request.id);
    if (refusal !== undefined) throw new RetinueError("invalid_request", refusal);
    if (performance.now() > until) return "waiting";
    await setTimeout(pause);
  }
  const settlement = settlementOf(found);
  if (settlement?.by === by) return "applied";
  // Left in the instant in which the other one was applied: nobody will look for it.
  files.remove(request.id);
  if (settlement === undefined) return "unknown";
  throw settledBefore(request.id, settlement.by ?? "its agent, which no longer waits");
}
