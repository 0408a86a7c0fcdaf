import { onBrokenPipe } from "../terminal/broken-pipe.ts";
import { exitCodeOfSignal } from "../exit-codes.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type EndSignal = (typeof signals)[number] | "SIGPIPE";

/**
 * Reports the first Ctrl+C, stop request, closed terminal or lost reader. Agents are then stopped and their cleanup is
 * awaited. A second Ctrl+C or request ends the process at once, with everything that agents started.
 */
export class EndSignals implements Disposable {
  readonly #tell: (signal: EndSignal) => void;
  readonly #forgetPipe: () => void;
  readonly #survivesHangup: boolean;
  #received: EndSignal | null = null;

  constructor(tell: (signal: EndSignal) => void, options: { survivesHangup?: boolean } = {}) {
    this.#tell = tell;
    this.#survivesHangup = options.survivesHangup === true;
    this.#forgetPipe = onBrokenPipe(() => this.#take("SIGPIPE"));
    for (const signal of signals) process.on(signal, this.#take);
  }

  /** The first signal; null while none came. */
  get received(): EndSignal | null {
    return this.#received;
  }

  [Symbol.dispose](): void {
    for (const signal of signals) process.off(signal, this.#take);
    this.#forgetPipe();
  }

  readonly #take = (signal: EndSignal): void => {
    if (signal === "SIGHUP" && this.#survivesHangup) return;
    if (this.#received === null) {
      this.#received = signal;
      this.#tell(signal);
    } else if (signal === "SIGINT" || signal === "SIGTERM") {
      process.exit(exitCodeOfSignal(signal));
    }
  };
}

export const stoppingLine = "Stopping. Press Ctrl+C again to end at once.";
