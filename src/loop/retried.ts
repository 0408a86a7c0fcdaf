import { withRetry } from "../model/retry.ts";
import type { LoopContext } from "./loop-context.ts";

/** Asks the model for something, again while faults pass, and tells of every time. */
export function retried<Result>(
  { steps, limits, signal, report }: LoopContext,
  ask: (attempt: number) => Promise<Result>,
): Promise<Result> {
  return withRetry(ask, {
    policy: limits.retry,
    signal,
    random: () => steps.random(),
    onRetry: ({ attempt, error: { code, message }, delayMs }) =>
      report.emit({ type: "model-retry", attempt, code, message, delayMs }),
  });
}
