import { defaultGraceMs, type Ending } from "../processes/process-tree.ts";

/** For what heeds its signal but needs a moment, such as a command whose processes are being killed. */
const momentMs = 250;

/** How one run is ended once it is aborted, and what that took. Whoever waits for it can still lose patience. */
export class RunEnding implements Ending {
  graceMs: number = defaultGraceMs;
  died = 0;
  readonly #abandoned = Promise.withResolvers<void>();

  /** From now on nobody waits for a tool or a model that does not heed its signal. */
  abandon(): void {
    this.#abandoned.resolve();
  }

  /** The work's outcome; when the run is abandoned before that, it is left behind with the reason of its signal. */
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
