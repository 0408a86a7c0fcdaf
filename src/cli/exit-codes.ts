import { constants } from "node:os";
import type { AgentResult, FailureCode } from "../contract/agent-result.ts";
import { RetinueError, type ErrorCode } from "../contract/errors.ts";
import { failureOf } from "../events/agent-record.ts";
import type { AgentOnDisk } from "../transcript/agent-on-disk.ts";

/** Exit codes of the command line, with their meaning. One table, printed by `--help`. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  limit: 5,
  noModel: 6,
  timeout: 124,
  stopped: 143,
} as const;

export const exitCodeHelp = `Exit codes: 0 ok, 1 the agent or command failed, 2 usage, 3 not found, 5 turn limit,
6 no model available, 124 timeout or no progress, 130 Ctrl+C, 143 stopped.`;

const byFailure: Partial<Record<FailureCode, number>> = {
  max_turns: exitCodes.limit,
  timeout: exitCodes.timeout,
  stalled: exitCodes.timeout,
};

const byError: Partial<Record<ErrorCode, number>> = {
  invalid_config: exitCodes.usage,
  invalid_request: exitCodes.usage,
  invalid_scenario: exitCodes.usage,
  ambiguous_task: exitCodes.usage,
  unknown_agent_type: exitCodes.notFound,
  unknown_task: exitCodes.notFound,
  no_model: exitCodes.noModel,
};

export function exitCodeOfResult(result: AgentResult): number {
  if (result.state === "completed") return exitCodes.ok;
  if (result.state === "stopped") return exitCodes.stopped;
  return byFailure[result.error.code] ?? exitCodes.failed;
}

/** The exit code of an agent, from its files. */
export function exitCodeOfAgent({ record }: AgentOnDisk): number {
  const { state } = record;
  if (state === "completed") return exitCodes.ok;
  if (state === "stopped") return exitCodes.stopped;
  const code = failureOf(record)?.code;
  if (code === undefined) return state === "idle" ? exitCodes.ok : exitCodes.failed;
  return byFailure[code] ?? exitCodes.failed;
}

export function exitCodeOfThrown(error: unknown): number {
  if (!(error instanceof RetinueError)) return exitCodes.failed;
  return byError[error.code] ?? exitCodes.failed;
}

/**
 * The code that a shell would report: 130 for Ctrl+C, 143 for a request to stop, 129 for a terminal that was closed.
 */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
