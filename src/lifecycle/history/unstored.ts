import { errorMessage } from "../../contract/errors.ts";
import type { AgentEvent } from "../../events/event.ts";

type AgentEnd = Extract<AgentEvent, { type: "agent-end" }>;

export function unstoredMessage(error: unknown): string {
  return `The agent's transcript cannot be written: ${errorMessage(error)}. Free space or check permissions.`;
}

/** The end of a run whose result could not be stored: a failure, because the result would be lost with this process. */
export function unstoredEnd(event: AgentEnd, error: unknown): AgentEnd {
  if (event.result.state === "failed") return event;
  const why = { code: "storage", message: unstoredMessage(error) } as const;
  return { ...event, result: { ...event.result, state: "failed", error: why } };
}
