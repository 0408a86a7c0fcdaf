import { setImmediate } from "node:timers/promises";

/**
 * Resolves after some turns of the event loop. By then this process has read what it wrote to itself, and has done what
 * it was about to do.
 */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}
