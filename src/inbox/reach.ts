import type { AllowAnswer, InboxRequest } from "./request.ts";

/** An answer that grants more than one call. */
export interface Given {
  readonly request: InboxRequest;
  readonly answer: AllowAnswer;
  readonly by: string;
}

/** Whether the call of a request would run by these rules. False where a rule asks in spite of what is allowed. */
export type Covers = (rules: readonly string[], request: InboxRequest) => boolean;

/** Whether what was granted for one request also settles another. */
export function reaches({ request, answer }: Given, other: InboxRequest, covers?: Covers): boolean {
  if (other.kind !== "permission" || answer.rules === undefined || covers === undefined)
    return false;
  return isMeant(answer, request, other) && covers(answer.rules, other);
}

function isMeant({ scope }: AllowAnswer, request: InboxRequest, other: InboxRequest): boolean {
  switch (scope) {
    case "once":
      return false;
    case "agent":
      return other.agentId === request.agentId;
    case "agent-always":
      return (
        other.agentType === request.agentType && other.definitionHash === request.definitionHash
      );
    case "session":
    case "always":
      return true;
  }
}
