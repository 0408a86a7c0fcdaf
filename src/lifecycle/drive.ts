import type { AgentResult } from "../agent-result.ts";
import { errorMessage } from "../errors.ts";
import type { AgentEvent } from "../events/event.ts";
import { StopCause } from "./abort.ts";

/**
 * Drives one agent to its end: each event is stored, then announced, and only then is the agent asked for the next.
 * So whatever anybody was told is already on disk. When something cannot be stored, the agent is ended, and fails.
 */
export async function drive(
  events: AsyncGenerator<AgentEvent, AgentResult>,
  options: {
    store: (event: AgentEvent) => void;
    announce: (event: AgentEvent) => void;
    abort: AbortController;
  },
): Promise<AgentResult> {
  let storing = true;
  let announced: AgentResult | undefined;
  for (;;) {
    const { done, value } = await events.next();
    if (done === true) return announced ?? value;
    let event = value;
    // After a failure only the end is tried: the file beside the transcript may still be writable.
    if (storing || event.type === "agent-end") {
      try {
        options.store(event);
      } catch (error) {
        storing = false;
        const message = `Its transcript cannot be written: ${errorMessage(error)}. Free space or check permissions.`;
        options.abort.abort(new StopCause("storage", message));
        if (event.type === "agent-end")
          event = { ...event, result: unstored(event.result, message) };
      }
    }
    if (event.type === "agent-end") announced = event.result;
    // What is not on disk is told to nobody, except that it is over.
    if (storing || event.type === "agent-end") options.announce(event);
  }
}

/** A result that is not on disk would be lost with this process: it is no success. */
function unstored(result: AgentResult, message: string): AgentResult {
  if (result.state === "failed") return result;
  return { ...result, state: "failed", error: { code: "storage", message } };
}
