import type { Socket } from "node:net";
import { LineReader } from "./line-reader.ts";

/** The next line that comes over a connection; `null` when none comes in time, or none that is short enough. */
export function nextLine(
  socket: Socket,
  { longest, ms }: { longest: number; ms: number },
): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const reader = new LineReader({ longest, onLine: resolve, onTooLong: () => resolve(null) });
  const push = (chunk: Buffer): void => reader.push(chunk);
  const giveUp = (): void => resolve(null);
  const timer = setTimeout(giveUp, ms);
  socket.on("data", push).once("close", giveUp).on("error", giveUp);
  return promise.finally(() => {
    clearTimeout(timer);
    socket.off("data", push).off("close", giveUp);
  });
}
