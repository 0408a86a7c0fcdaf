import { abortable } from "../platform/abortable.ts";

/**
 * Runs work that gets a signal, and ends as soon as `signal` aborts or the work has given no sign of life for `silence`
 * milliseconds, whether or not it heeds its signal.
 */
export async function withCutOff<Result>(
  options: { signal: AbortSignal; silence: number; stalled: () => Error },
  work: (signal: AbortSignal, alive: () => void) => Promise<Result>,
): Promise<Result> {
  const { signal, silence, stalled } = options;
  signal.throwIfAborted();
  const silent = new AbortController();
  const watchdog = setTimeout(() => silent.abort(stalled()), silence);
  const cut = AbortSignal.any([signal, silent.signal]);
  try {
    return await abortable(
      work(cut, () => watchdog.refresh()),
      cut,
    );
  } finally {
    clearTimeout(watchdog);
  }
}
