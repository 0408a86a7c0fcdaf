import type { AgentEvent } from "../../events/event.ts";
import type { AgentId } from "../../contract/ids.ts";
import type { RunState } from "./run-state.ts";
import { plainLine } from "../terminal/sanitize.ts";

/** A few sanitized words about an intervention from outside; null if the event is none. */
export function steeringLine(event: AgentEvent, run: RunState): string | null {
  if (event.type === "agent-background") return "continues in the background";
  if (event.type !== "prompt") return null;
  if (event.source === "message") return `has read: ${plainLine(event.text)}`;
  if (event.source !== "notification") return null;
  const [task = ""] = (event.mailId ?? "").split("/");
  const agent = run.agents.get(task as AgentId);
  return `was notified of the end of ${agent?.label ?? plainLine(task)}`;
}
