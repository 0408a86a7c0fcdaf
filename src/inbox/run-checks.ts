import { errorMessage } from "../contract/errors.ts";
import type { Logger } from "../platform/logger.ts";
import { fitAnswer } from "./fit-answer.ts";
import type { AllowAnswer, Answer, InboxRequest } from "./request.ts";

/** Answers a request instead of a person, or passes (`null`). */
export type InboxCheck = (request: InboxRequest, signal: AbortSignal) => Promise<Answer | null>;

/** The first answer of a check. One that fails, or whose answer does not fit, is logged and skipped. */
export async function runChecks(
  checks: readonly InboxCheck[],
  request: InboxRequest,
  options: {
    signal: AbortSignal;
    logger: Logger;
    /** Stores the grants of an answer. */
    grant: (answer: AllowAnswer) => Promise<void>;
  },
): Promise<Answer | null> {
  for (const check of checks) {
    try {
      const given = await check(request, options.signal);
      if (given === null) continue;
      const answer = fitAnswer(request, given);
      if (answer.verdict === "allow") await options.grant(answer);
      return answer;
    } catch (error) {
      options.signal.throwIfAborted();
      const fields = { request: request.id, tool: request.tool };
      options.logger.warn(fields, `A check failed, so it is asked: ${errorMessage(error)}`);
    }
  }
  return null;
}
