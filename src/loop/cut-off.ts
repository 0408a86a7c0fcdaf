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
  const cut = new AbortController();
  const outcome = Promise.withResolvers<Result>();
  const end = (reason: unknown): void => {
    cut.abort(reason);
    outcome.reject(reason);
  };
  const follow = (): void => end(signal.reason);
  const watchdog = setTimeout(() => end(stalled()), silence);
  signal.addEventListener("abort", follow, { once: true });
  try {
    work(cut.signal, () => watchdog.refresh()).then(outcome.resolve, outcome.reject);
    return await outcome.promise;
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener("abort", follow);
  }
}
