import { ladder } from "../loop/ladder.ts";
import { endsWithin } from "../platform/ends-within.ts";

/** Disposes a stack, and gives up on it after a limit: an agent always ends. */
export function boundedCleanup(
  stack: AsyncDisposableStack,
  onGiveUp: () => void,
  limitMs: number = ladder.cleanupMs,
): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      if (!(await endsWithin(stack.disposeAsync(), limitMs))) onGiveUp();
    },
  };
}
