import { errorMessage } from "../errors.ts";
import type { Inbox } from "../inbox/inbox.ts";
import {
  emptyPanel,
  press,
  selectedOf,
  withRequests,
  withShown,
  withWidth,
  type PanelState,
} from "./inbox-panel.ts";
import { panelLines, type DrawnPanel } from "./inbox-panel-lines.ts";
import { keysOf } from "./keys.ts";
import type { LiveView, Panel } from "./live-view.ts";
import type { Line } from "./width.ts";

/** The part of `tty.ReadStream` that is used. */
export interface KeyStream {
  setRawMode(raw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: "data", listener: (chunk: Buffer | string) => void): unknown;
  on(event: "error", listener: () => void): unknown;
  off(event: "data", listener: (chunk: Buffer | string) => void): unknown;
}

export interface PromptOptions {
  inbox: Pick<Inbox, "list" | "answer" | "subscribe">;
  view: Pick<LiveView, "show">;
  input: KeyStream;
  /** In raw mode the terminal sends no signal for Ctrl+C. */
  interrupt?: () => void;
  now?: () => number;
}

/**
 * Lets the person at a terminal answer in the live view. The terminal is in raw mode only while something is open: at
 * other times its keys mean what they always do. Disposing it gives the terminal back.
 */
export class InboxPrompt implements Panel, Disposable {
  readonly #options: PromptOptions;
  readonly #now: () => number;
  readonly #unsubscribe: () => void;
  #state: PanelState = emptyPanel;
  #drawn: Pick<DrawnPanel, "page" | "end" | "total"> = { page: 0, end: 0, total: 0 };
  #reading = false;
  readonly #onData = (chunk: Buffer | string): void => this.#press(String(chunk));
  readonly #restore = (): void => this.#listen(false);

  constructor(options: PromptOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#unsubscribe = options.inbox.subscribe(() => this.#update());
    process.once("exit", this.#restore);
    // A terminal that was closed cannot be read; its signal ends the run.
    options.input.on("error", () => undefined);
    this.#update();
  }

  draw(size: Parameters<Panel["draw"]>[0]): Line[] {
    this.#state = withWidth(this.#state, size.width);
    const drawn = panelLines(this.#state, size);
    this.#drawn = drawn;
    if (drawn.page === 0) return drawn.lines;
    const { seenAll } = this.#state;
    this.#state = withShown(this.#state, { ...drawn, now: size.now });
    // What may be chosen changes with what was seen.
    return seenAll === this.#state.seenAll ? drawn.lines : panelLines(this.#state, size).lines;
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#listen(false);
    process.off("exit", this.#restore);
    this.#options.view.show(null);
  }

  #update(): void {
    this.#state = withRequests(this.#state, this.#options.inbox.list());
    this.#listen(this.#state.requests.length > 0);
    this.#options.view.show(this.#state.requests.length > 0 ? this : null);
  }

  #listen(on: boolean): void {
    const { input } = this.#options;
    if (on === this.#reading) return;
    this.#reading = on;
    try {
      input.setRawMode(on);
    } catch {
      // The terminal is gone; its signal ends the run.
    }
    if (on) {
      input.on("data", this.#onData);
      input.resume();
    } else {
      input.off("data", this.#onData);
      input.pause();
    }
  }

  #press(chunk: string): void {
    const keys = keysOf(chunk);
    if (keys.includes("ctrl-c")) {
      (this.#options.interrupt ?? interrupt)();
      return;
    }
    // Several characters at once were pasted or typed ahead: they are words, not a choice.
    if (keys.length > 1 && this.#state.typing === null) return;
    const { page, end, total } = this.#drawn;
    const isTyping = this.#state.typing !== null;
    for (const key of keys) {
      const context = { now: this.#now(), page, atEnd: end >= total };
      const { panel, answer } = press(this.#state, key, context);
      this.#state = panel;
      if (answer !== undefined) void this.#answer(answer);
      // What was pasted behind the end of the line is no choice either.
      if (isTyping && panel.typing === null) break;
    }
    this.#options.view.show(this.#reading ? this : null);
  }

  async #answer({ id, answer }: NonNullable<ReturnType<typeof press>["answer"]>): Promise<void> {
    try {
      await this.#options.inbox.answer(id, answer, "terminal");
    } catch (error) {
      if (selectedOf(this.#state)?.id !== id) return;
      this.#state = { ...this.#state, note: errorMessage(error) };
      this.#options.view.show(this);
    }
  }
}

function interrupt(): void {
  process.kill(process.pid, "SIGINT");
}
