import { withRetry } from "../model/retry.ts";
import type { LoopContext } from "./loop-context.ts";

/** Asks the model, retries while faults are temporary, and emits each retry. */
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
