import { exitCodes } from "../exit-codes.ts";

const listeners = new Set<() => void>();
/** True once a listener was notified: it decides how the process ends, and further output is discarded. */
let cleaningUp = false;

/**
 * Ends the process quietly when a reader goes away (`retinue logs | head`): that is no error. A listener that has to
 * clean up goes first.
 */
export function watchPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // EIO: the terminal is gone.
      const gone = error.code === "EPIPE" || error.code === "EIO";
      if (!gone && !cleaningUp)
        process.stderr.write(`retinue: output cannot be written: ${error.message}\n`);
      if (listeners.size === 0 && !cleaningUp) process.exit(gone ? exitCodes.ok : exitCodes.failed);
      cleaningUp = true;
      for (const listener of listeners) listener();
    });
  }
}

/** Calls back when a reader has gone away. Returns a function that stops listening. */
export function onBrokenPipe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
