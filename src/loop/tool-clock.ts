import { addAbortListener } from "node:events";
import type { Clock } from "../platform/clock.ts";
import { ladder, spokenTime } from "./ladder.ts";

/** The error of a tool call that exceeded its time limit. */
export class ToolLimit extends Error {
  override readonly name = "ToolLimit";
}

/**
 * Runs one tool call under its own clock: a warning, then its signal aborts, then it is given up, whether or not it
 * heeds the signal. A result after the abort counts, because the call knows best what it did. `signal` is that of the
 * turn: its abort ends the call in the same way. Rejects with the reason of the abort, or as `work` does.
 */
export async function withToolClock<Output>(
  options: {
    tool: string;
    /** Limit in milliseconds; `null`: the call waits for others, whose time is their own. */
    limit: number | null;
    signal: AbortSignal;
    clock: Clock;
    graceMs?: number;
    warn: (leftMs: number, message: string) => void;
  },
  work: (signal: AbortSignal) => Promise<Output>,
): Promise<Output> {
  const { tool, limit, signal, clock, graceMs = ladder.toolGraceMs } = options;
  signal.throwIfAborted();
  const own = new AbortController();
  const outcome = Promise.withResolvers<Output>();
  // One step of the ladder after the other.
  let cancel = (): void => undefined;
  const after = (milliseconds: number, act: () => void): void => {
    cancel();
    cancel = clock.schedule(act, milliseconds);
  };
  const end = (reason: unknown): void => {
    if (own.signal.aborted) return;
    own.abort(reason);
    after(graceMs, () => outcome.reject(reason));
  };
  // Not `AbortSignal.any`: an ended call must not stay attached to its turn.
  using _ = addAbortListener(signal, () => end(signal.reason));
  if (limit !== null) {
    const left = limit * (1 - ladder.warnAt);
    after(limit - left, () => {
      const spoken = spokenTime(limit);
      options.warn(
        Math.round(left),
        `A call of ${tool} is at ${ladder.warnAt * 100} % of its limit (${spoken}).`,
      );
      after(left, () =>
        end(
          new ToolLimit(
            `This call of ${tool} took longer than ${spoken}, which is the limit of one call. It was ended. Give it less to do.`,
          ),
        ),
      );
    });
  }
  try {
    Promise.resolve(work(own.signal)).then(outcome.resolve, outcome.reject);
    return await outcome.promise;
  } catch (error) {
    throw own.signal.aborted ? own.signal.reason : error;
  } finally {
    cancel();
  }
}
