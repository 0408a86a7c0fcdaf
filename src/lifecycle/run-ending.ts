import { defaultGraceMs, type Termination } from "../processes/process-tree.ts";

/** Time for work that heeds its signal but needs a moment, such as a command whose processes are being killed. */
const momentMs = 250;

/**
 * Options for ending an aborted run, and the number of processes that died. A waiting caller can still abandon the run.
 */
export class RunEnding implements Termination {
  graceMs: number = defaultGraceMs;
  died = 0;
  readonly #abandoned = Promise.withResolvers<void>();

  /** Stops waiting for a tool or a model that ignores its signal. */
  abandon(): void {
    this.#abandoned.resolve();
  }

  /** The outcome of the work. If the run is abandoned before, rejects with the reason of its signal. */
  async of<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const left = new Promise<never>((_, reject) => {
      void this.#abandoned.promise.then(() => {
        timer = setTimeout(() => reject(signal.reason as Error), momentMs);
      });
    });
    return Promise.race([work, left]).finally(() => clearTimeout(timer));
  }
}
