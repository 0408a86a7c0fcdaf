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

/** How an agent ended. A failure is data: nobody has to catch anything. */
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
  /** What was denied, each call's reason once; at most 20. */
  deniedCalls: DeniedCall[];
  durationMs: number;
  usage: Usage;
  lastUsage: Usage;
  /** Of this agent alone, in US dollars; `null` = unknown, because the price of some answer is. */
  costUsd: number | null;
  /** The whole text, on disk, when `content` is too long to be handed on inline. */
  contentFile?: string;
}
