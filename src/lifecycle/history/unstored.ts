import { errorMessage } from "../../contract/errors.ts";
import type { AgentEvent } from "../../events/event.ts";

type AgentEnd = Extract<AgentEvent, { type: "agent-end" }>;

export function unstoredMessage(error: unknown): string {
  return `Its transcript cannot be written: ${errorMessage(error)}. Free space or check permissions.`;
}

/** A result that is not on disk would be lost with this process: it is no success. */
export function unstoredEnd(event: AgentEnd, error: unknown): AgentEnd {
  if (event.result.state === "failed") return event;
  const why = { code: "storage", message: unstoredMessage(error) } as const;
  return { ...event, result: { ...event.result, state: "failed", error: why } };
}
