import { watch, type FSWatcher } from "node:fs";
import { errorMessage } from "../contract/errors.ts";
import type { Logger } from "../platform/logger.ts";

const pollInterval = 1000;

/**
 * Looks for answers of other processes while questions are open: at once where the file system tells of changes, and once
 * a second in any case. Runs only while there is something to wait for, and keeps the process alive that long, because an
 * agent whose question is open is at work.
 */
export class AnswerWatch {
  readonly #directory: string;
  readonly #look: () => void;
  readonly #logger: Logger;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { directory: string; look: () => void; logger: Logger }) {
    this.#directory = options.directory;
    this.#look = options.look;
    this.#logger = options.logger;
  }

  /** The directory must be there. May be called again while it runs. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(this.#look, pollInterval);
    try {
      this.#watcher = watch(this.#directory, { persistent: false }, (_, name) => {
        // Questions that are asked and settled change the directory too.
        if (name?.endsWith(".answer.json") ?? true) this.#look();
      });
      this.#watcher.on("error", (error) => this.#pollOnly(error));
    } catch (error) {
      this.#pollOnly(error);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #pollOnly(error: unknown): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    const fields = { directory: this.#directory };
    this.#logger.info(fields, `Answers are looked for once a second: ${errorMessage(error)}`);
  }
}
