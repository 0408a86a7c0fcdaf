import { RetinueError } from "../contract/errors.ts";
import type { AllowAnswer, GrantScope, InboxRequest } from "./request.ts";

/** An answer that grants more than one call. */
export interface GivenAnswer {
  /** The asker whose question was answered. */
  readonly to: Pick<InboxRequest, "agentId" | "agentType" | "definitionHash">;
  readonly answer: AllowAnswer;
  readonly by: string;
}

/**
 * Whether the call of a request would run by these rules, granted for so long. False where an ask rule matches in spite
 * of them, and where its agent accepts no such grants.
 */
export type Covers = (
  rules: readonly string[],
  request: InboxRequest,
  scope: GrantScope,
) => boolean;

/** Whether a grant for one request also settles another. */
export function reaches(
  { to, answer }: GivenAnswer,
  other: InboxRequest,
  covers?: Covers,
): boolean {
  if (other.kind !== "permission" || answer.rules === undefined || covers === undefined)
    return false;
  return isMeant(answer, to, other) && covers(answer.rules, other, answer.scope);
}

function isMeant({ scope }: AllowAnswer, to: GivenAnswer["to"], other: InboxRequest): boolean {
  switch (scope) {
    case "once":
      return false;
    case "agent":
      return other.agentId === to.agentId;
    case "agent-always":
      return other.agentType === to.agentType && other.definitionHash === to.definitionHash;
    case "session":
    case "always":
      return true;
  }
}

/**
 * Refuses rules that do not allow the requested call: they are a mistake. Rules for the later needs of a spawned agent
 * are not checked.
 */
export function refuseIdleRules(
  request: InboxRequest,
  { rules = [], scope, input }: AllowAnswer,
  covers: Covers | undefined,
): void {
  const isAboutCall = request.tool !== "Agent" && input === undefined;
  if (covers === undefined || !isAboutCall || covers(rules, request, scope)) return;
  throw new RetinueError(
    "invalid_request",
    `${request.id} stays open: ${rules.join(", ")} would not allow this call. Allow it once, or name rules that do.`,
  );
}
