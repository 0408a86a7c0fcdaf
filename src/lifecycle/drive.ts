import type { AgentResult } from "../agent-result.ts";
import { errorMessage } from "../errors.ts";
import type { AgentEvent } from "../events/event.ts";
import { StopCause } from "./abort.ts";

/**
 * Drives one agent to its end: each event is stored, then announced, and only then is the agent asked for the next.
 * So whatever anybody was told is already on disk. When it cannot be stored, the agent is ended.
 */
export async function drive(
  events: AsyncGenerator<AgentEvent, AgentResult>,
  options: {
    store: (event: AgentEvent) => Promise<void>;
    announce: (event: AgentEvent) => void;
    abort: AbortController;
  },
): Promise<AgentResult> {
  let storing = true;
  for (;;) {
    const { done, value } = await events.next();
    if (done === true) return value;
    // How it ended is tried all the same: the file beside the transcript may still be writable.
    if (storing || value.type === "agent-end") {
      try {
        await options.store(value);
      } catch (error) {
        storing = false;
        options.abort.abort(
          new StopCause(
            "storage",
            `Its transcript cannot be written: ${errorMessage(error)}. Free space or check permissions.`,
          ),
        );
      }
    }
    options.announce(value);
  }
}
