import type { Usage } from "./message.ts";

export type FailureCode =
  | "max_turns"
  | "timeout"
  | "stalled"
  | "empty_result"
  | "model_error"
  | "storage"
  | "crashed";

export interface AgentFailure {
  code: FailureCode;
  message: string;
}

/** The end of an agent. A failure is data: the caller has nothing to catch. */
export type AgentResult = AgentFigures &
  (
    | { state: "completed"; content: string }
    | { state: "failed"; content: string; error: AgentFailure }
    | { state: "stopped"; content: string; reason: string }
  );

/** Calls of one tool that were denied for the same reason. */
export interface DeniedCall {
  tool: string;
  reason: string;
  count: number;
}

/** Usage and cost of one run. `usage` is the sum over turns, `lastUsage` that of the last answer. */
export interface AgentFigures {
  turns: number;
  toolUses: number;
  denials: number;
  /** Denied calls, each call's reason once; at most 20. */
  deniedCalls: DeniedCall[];
  durationMs: number;
  usage: Usage;
  lastUsage: Usage;
  /** Cost of this agent alone, in US dollars; `null` = unknown, because the price of some answer is. */
  costUsd: number | null;
  /** Path of the whole text, if `content` is too long to hand on inline. */
  contentFile?: string;
}
