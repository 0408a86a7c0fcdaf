import type { StopReason } from "../events/event.ts";
import type { AssistantMessage, ToolResultBlock, ToolUseBlock } from "../contract/message.ts";

/** An answer on which an earlier process had not acted to the end. */
export interface Pending {
  readonly answer: { readonly message: AssistantMessage; readonly stopReason: StopReason };
  /** Of its calls, so far. */
  readonly results: readonly ToolResultBlock[];
  readonly open: readonly OpenCall[];
}

export interface OpenCall {
  readonly call: ToolUseBlock;
  /** It was about to run, or ran, when the process ended: nobody knows what became of it. */
  readonly begun: boolean;
}

/** Calls that were under way when an earlier process ended. They had been approved by then. */
export function begunCalls({ pending }: { readonly pending: Pending | null }): ReadonlySet<string> {
  const open = pending?.open ?? [];
  return new Set(open.flatMap(({ call, begun }) => (begun ? [call.id] : [])));
}
