import type { AgentResult } from "../contract/agent-result.ts";
import type { AgentEvent } from "../events/event.ts";
import { StopCause } from "./abort.ts";
import { unstoredEnd, unstoredMessage } from "./history/unstored.ts";

/**
 * Drives one agent to its end: each event is stored, then emitted, and only then is the agent asked for the next. So
 * every emitted event is already on disk. If an event cannot be stored, the agent is ended, and fails.
 */
export async function drive(
  events: AsyncGenerator<AgentEvent, AgentResult>,
  options: {
    /** Resolves when the event is on disk. */
    store: (event: AgentEvent) => Promise<void>;
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
    // After a failure only the end is stored: the meta file may still be writable.
    if (storing || event.type === "agent-end") {
      try {
        await options.store(event);
      } catch (error) {
        storing = false;
        options.abort.abort(new StopCause("storage", unstoredMessage(error)));
        if (event.type === "agent-end") event = unstoredEnd(event, error);
      }
    }
    if (event.type === "agent-end") announced = event.result;
    // An event that is not on disk is not emitted, except for the end.
    if (storing || event.type === "agent-end") options.announce(event);
  }
}
