import type { AgentEvent } from "../events/event.ts";
import type { Logger } from "../platform/logger.ts";

/** Logs the few events that belong in a log. */
export function logEvent(logger: Logger, event: AgentEvent): void {
  switch (event.type) {
    case "agent-start":
      logger.info({ agentType: event.agent.type, model: event.agent.model }, "agent started");
      if (event.agent.modeRefused !== null) logger.warn({}, event.agent.modeRefused);
      break;
    case "agent-end":
      logger.info({ state: event.result.state, turns: event.result.turns }, "agent ended");
      break;
    case "model-retry":
      logger.warn({ code: event.code, attempt: event.attempt }, "the model call is retried");
      break;
    case "deadline-warning":
      logger.warn({ clock: event.clock, leftMs: event.leftMs }, event.message);
      break;
    case "mode-change":
      logger.info(
        { from: event.from, to: event.to, by: event.by },
        "the mode of the agent changed",
      );
      break;
    case "permission-deny":
      logger.warn({ tool: event.call.name }, event.reason);
      break;
    default:
  }
}
