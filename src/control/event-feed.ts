import type { AgentRow } from "../session/agent-row.ts";
import type { EventStream } from "../events/bus.ts";
import type { AgentEvent } from "../events/event.ts";
import type { ControlPort } from "./control-port.ts";

/** Current rows of the agents that a client watches, their running tool calls, and their events from then on. */
export interface EventFeed {
  rows: AgentRow[];
  stream: EventStream;
  /**
   * Whether an event belongs to a watched agent. Must be called for every event, in order: children join as they
   * appear.
   */
  concerns: (event: AgentEvent) => boolean;
}

/** Opens the feed of one agent and its descendants; without an id, of all agents. */
export function openFeed(port: ControlPort, id: string | undefined): EventFeed {
  // Stream first, then rows: an event between them would be lost.
  const stream = port.events({ limit: 10_000, underWay: true });
  const all = port.list({ all: true });
  if (id === undefined) return { rows: all, stream, concerns: () => true };
  const watched = new Set<string>([id]);
  const join = (candidate: string, parent: string | null): boolean => {
    if (parent !== null && watched.has(parent)) watched.add(candidate);
    return watched.has(candidate);
  };
  return {
    // Parents are listed before their children.
    rows: all.filter((row) => join(row.id, row.parentId)),
    stream,
    concerns: (event) => join(event.agentId, "agent" in event ? event.agent.parentId : null),
  };
}
