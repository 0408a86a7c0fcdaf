import type { AgentOutput, AgentRow } from "../agent-row.ts";
import type { EventStream, Subscription } from "../events/bus.ts";

/** What the socket of a session gives access to: a manager, as seen from another process. */
export interface ControlPort {
  readonly sessionId: string;
  get(id: string): AgentRow | undefined;
  list(options: { all?: boolean }): AgentRow[];
  output(id: string, options: { block?: boolean; timeout?: number }): Promise<AgentOutput>;
  events(options: Subscription): EventStream;
  stop(id: string, options: { reason: string; graceMs?: number }): Promise<StoppedRow>;
  kill?(id: string, reason: string): Promise<StoppedRow>;
  send?(id: string, text: string): Promise<{ messageId: string; agentId: string }>;
  background?(id: string): Promise<AgentRow>;
  resume?(id: string, options: { prompt?: string }): Promise<AgentRow>;
}

/** An agent that was ended, and what ended with it. */
export type StoppedRow = AgentRow & { died?: { agents: string[]; processes: number } };
