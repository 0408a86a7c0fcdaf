import type { AgentEvent } from "../events/event.ts";

/** `interrupted`: its process is gone, and it never said how it ended. */
export type AgentState =
  | "interrupted"
  | "queued"
  | "running"
  | "waiting"
  | "idle"
  | "completed"
  | "failed"
  | "stopped";

/** How an agent stands after an event. The one place that knows; memory and disk both follow it. */
export function nextState(state: AgentState, event: AgentEvent, standing: boolean): AgentState {
  switch (event.type) {
    case "agent-queued":
      return "queued";
    case "agent-start":
    case "agent-wake":
      return "running";
    case "agent-wait":
      return "waiting";
    case "agent-idle":
      return "idle";
    case "agent-end":
      return standing && event.result.state !== "stopped" ? "idle" : event.result.state;
    default:
      return state;
  }
}
