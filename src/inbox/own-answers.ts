import { errorMessage } from "../contract/errors.ts";
import type { Answer, Answered, InboxRequest } from "./request.ts";

/** An answer of the inbox itself: where no person can be asked it denies, and the agent reads why. */
export const nobody: Answered = {
  answer: {
    verdict: "deny",
    message:
      "No person can answer in this session. Allow the call beforehand with a rule in permissions.allow.",
  },
  by: "nobody",
};

export function late({ onDeadline }: InboxRequest): Answered {
  const answer: Answer =
    onDeadline === "allow"
      ? { verdict: "allow", scope: "once" }
      : { verdict: "deny", message: "The question was not answered in time." };
  return { answer, by: "deadline" };
}

export function notStored(error: unknown): Answered {
  const message = `The question could not be stored, so it was not asked: ${errorMessage(error)}.`;
  return { answer: { verdict: "deny", message }, by: "nobody" };
}
