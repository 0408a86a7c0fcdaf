import type { AgentRow } from "../session/agent-row.ts";
import type { EventStream } from "../events/bus.ts";
import type { AgentEvent } from "../events/event.ts";
import type { ControlPort } from "./control-port.ts";

/** The agents that a client watches as they are now, what their tools are doing, and their events from then on. */
export interface EventFeed {
  rows: AgentRow[];
  stream: EventStream;
  /** Whether an event is about one of them. To be asked of every event, in order: children join as they appear. */
  concerns: (event: AgentEvent) => boolean;
}

/** One agent and everything below it; without an id, all of the session. */
export function openFeed(port: ControlPort, id: string | undefined): EventFeed {
  // First the stream, then the rows: what happens between them would be told to nobody.
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
