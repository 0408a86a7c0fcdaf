import type { AgentEventBody } from "../events/event.ts";

export type Emit = (event: AgentEventBody) => void;

/**
 * Runs work that reports through a callback as a generator that yields those reports, in order, and returns the
 * work's result. Everything emitted is yielded before the result or the error comes out.
 */
export async function* relay<Result>(
  work: (emit: Emit) => Promise<Result>,
): AsyncGenerator<AgentEventBody, Result> {
  let queue: AgentEventBody[] = [];
  let wake: (() => void) | undefined;
  let settled = false;
  const outcome = work((event) => {
    queue.push(event);
    wake?.();
  }).finally(() => {
    settled = true;
    wake?.();
  });
  // The error belongs to `await outcome` below; until then nobody may call it unhandled.
  outcome.catch(() => undefined);
  try {
    for (;;) {
      const batch = queue;
      queue = [];
      yield* batch;
      if (queue.length > 0) continue;
      if (settled) return await outcome;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    // A consumer that breaks off has aborted first, so this ends soon; nothing is left running behind its back.
    await outcome.catch(() => undefined);
  }
}
