import { addAbortListener } from "node:events";

/** The outcome of the work, or the signal's reason as soon as it aborts. Leaves no listener behind. */
export async function abortable<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  using _ = addAbortListener(signal, () => aborted.reject(signal.reason));
  return await Promise.race([work, aborted.promise]);
}
