import { errorMessage } from "../../contract/errors.ts";
import type { Inbox } from "../../inbox/inbox.ts";
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
import type { KeyLayers, KeyLayer } from "../terminal/key-layers.ts";
import type { Key } from "../terminal/keys.ts";
import type { Panel } from "../views/live-view.ts";
import type { MeasuredLine } from "../terminal/width.ts";

export interface PromptOptions {
  inbox: Pick<Inbox, "list" | "answer" | "subscribe">;
  keys: Pick<KeyLayers, "open" | "close">;
  now?: () => number;
}

/** Lets the person at a terminal answer in the live view. Takes the keyboard only while a request is open. */
export class InboxPrompt implements KeyLayer, Disposable {
  readonly #options: PromptOptions;
  readonly #now: () => number;
  readonly #unsubscribe: () => void;
  #state: PanelState = emptyPanel;
  #drawn: Pick<DrawnPanel, "page" | "end" | "total"> = { page: 0, end: 0, total: 0 };

  constructor(options: PromptOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#unsubscribe = options.inbox.subscribe(() => this.#update());
    this.#update();
  }

  get isTyping(): boolean {
    return this.#state.typing !== null;
  }

  draw(size: Parameters<Panel["draw"]>[0]): MeasuredLine[] {
    this.#state = withWidth(this.#state, size.width);
    const drawn = panelLines(this.#state, size);
    this.#drawn = drawn;
    if (drawn.page === 0) return drawn.lines;
    const { seenAll } = this.#state;
    this.#state = withShown(this.#state, { ...drawn, now: size.now });
    // The offered choices depend on the lines seen.
    return seenAll === this.#state.seenAll ? drawn.lines : panelLines(this.#state, size).lines;
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#options.keys.close(this);
  }

  press(keys: readonly Key[]): void {
    // Several characters at once were pasted or typed ahead: they are words, not a choice.
    if (keys.length > 1 && this.#state.typing === null) return;
    const { page, end, total } = this.#drawn;
    const isTyping = this.#state.typing !== null;
    for (const key of keys) {
      const context = { now: this.#now(), page, atEnd: end >= total };
      const { panel, answer } = press(this.#state, key, context);
      this.#state = panel;
      if (answer !== undefined) void this.#answer(answer);
      // Text pasted behind the end of the line is no choice either.
      if (isTyping && panel.typing === null) break;
    }
  }

  #update(): void {
    const { inbox, keys } = this.#options;
    this.#state = withRequests(this.#state, inbox.list());
    if (this.#state.requests.length > 0) keys.open(this);
    else keys.close(this);
  }

  async #answer({ id, answer }: NonNullable<ReturnType<typeof press>["answer"]>): Promise<void> {
    try {
      await this.#options.inbox.answer(id, answer, "terminal");
    } catch (error) {
      if (selectedOf(this.#state)?.id !== id) return;
      this.#state = { ...this.#state, note: errorMessage(error) };
      this.#options.keys.open(this);
    }
  }
}
