import { abortable } from "./abortable.ts";

/**
 * Whether a promise settles before the time is up; without a time it waits. Rejects with `signal.reason`; leaves no
 * timer and no listener behind.
 */
export async function endsWithin(
  ended: Promise<unknown>,
  milliseconds: number | undefined,
  signal?: AbortSignal,
): Promise<boolean> {
  const timeUp = Promise.withResolvers<boolean>();
  const timer =
    milliseconds === undefined ? undefined : setTimeout(() => timeUp.resolve(false), milliseconds);
  const first = Promise.race([ended.then(() => true), timeUp.promise]);
  try {
    return await (signal === undefined ? first : abortable(first, signal));
  } finally {
    clearTimeout(timer);
  }
}
