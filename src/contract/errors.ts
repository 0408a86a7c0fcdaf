/**
 * Misuse and broken configuration throw a `RetinueError`. A child's failure is data (`AgentResult`), a tool's
 * failure is a result that the model reads: neither is ever an exception that leaves the library.
 */
export type ErrorCode =
  | "invalid_config"
  | "invalid_request"
  | "invalid_scenario"
  | "unknown_agent_type"
  | "unknown_task"
  | "ambiguous_task"
  | "agent_busy"
  | "agent_ended"
  | "session_busy"
  | "not_running"
  | "unreachable"
  | "limit_reached"
  | "no_tools"
  | "no_model"
  | "unsupported"
  | "closed"
  | "storage";

export class RetinueError extends Error {
  override readonly name = "RetinueError";
  readonly code: ErrorCode;

  /** `message` names the remedy: what the reader should change or run. */
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** The text of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a Node system error (`ENOENT`, `EACCES`, …), if it is one. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
