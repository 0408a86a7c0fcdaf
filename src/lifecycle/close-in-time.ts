import { ladder } from "../loop/ladder.ts";

/** Closes what it is given, and goes on without it when that does not end: an agent always ends. */
export function closeInTime(
  resources: AsyncDisposable,
  onGiveUp: () => void,
  limit: number = ladder.cleanupMs,
): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      const closing = Promise.resolve(resources[Symbol.asyncDispose]());
      const tooLong = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        onGiveUp();
        tooLong.resolve();
      }, limit);
      try {
        await Promise.race([closing, tooLong.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
