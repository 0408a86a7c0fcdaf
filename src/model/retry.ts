import { setTimeout as sleep } from "node:timers/promises";
import type { Limits } from "../settings/settings.ts";
import { ModelError } from "./model.ts";
import { longestTimer } from "../contract/longest-timer.ts";

/** The longest pause that is waited for. A provider that asks for a longer one is reported. */
const longestWait = 5 * 60_000;

export interface Retry {
  attempt: number;
  error: ModelError;
  delayMs: number;
}

/**
 * Retries `attempt` while the fault is temporary: exponential pauses with jitter, longer if the provider asked for it.
 * Throws the last error unchanged.
 */
export async function withRetry<Result>(
  attempt: (number: number) => Promise<Result>,
  options: {
    policy: Limits["retry"];
    signal: AbortSignal;
    random: () => number;
    onRetry: (retry: Retry) => void;
  },
): Promise<Result> {
  const { policy, signal } = options;
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError) || !error.retryable || number >= policy.attempts)
        throw error;
      if ((error.retryAfterMs ?? 0) > longestWait) throw error;
      const backoff =
        Math.min(policy.most, policy.base * 2 ** (number - 1)) * (0.5 + options.random() / 2);
      const delayMs = Math.min(
        Math.round(Math.max(backoff, error.retryAfterMs ?? 0)),
        longestTimer,
      );
      options.onRetry({ attempt: number, error, delayMs });
      await sleep(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
