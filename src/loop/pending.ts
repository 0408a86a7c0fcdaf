import type { StopReason } from "../events/event.ts";
import type { AssistantMessage, ToolResultBlock, ToolUseBlock } from "../contract/message.ts";

/** An answer that an earlier process had not finished acting on. */
export interface Pending {
  readonly answer: { readonly message: AssistantMessage; readonly stopReason: StopReason };
  /** Results of its calls so far. */
  readonly results: readonly ToolResultBlock[];
  readonly open: readonly OpenCall[];
}

export interface OpenCall {
  readonly call: ToolUseBlock;
  /** Whether the call was about to run, or ran, when the process ended: its outcome is unknown. */
  readonly begun: boolean;
}

/** Calls that were under way when an earlier process ended. They had been approved by then. */
export function begunCalls({ pending }: { readonly pending: Pending | null }): ReadonlySet<string> {
  const open = pending?.open ?? [];
  return new Set(open.flatMap(({ call, begun }) => (begun ? [call.id] : [])));
}
