/** Whether something ends before the time is up; without a time it waits. Rejects with `signal.reason`; leaves no timer and no listener behind. */
export function endsWithin(
  ended: Promise<unknown>,
  milliseconds: number | undefined,
  signal?: AbortSignal,
): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const abort = (): void => reject(signal?.reason as Error);
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const timer =
    milliseconds === undefined ? undefined : setTimeout(() => resolve(false), milliseconds);
  ended.then(() => resolve(true), reject);
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  });
}
