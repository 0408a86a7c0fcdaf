import type { AgentEvent } from "../../events/event.ts";
import { textOf } from "../../contract/message.ts";

/** The latest text of an agent: its partial result if it ends now. */
export class LastWords {
  /** The latest whole answer that has text. */
  #text: string;
  /** The arrived part of a later answer. */
  #arriving = "";
  #isAskedAnew = false;

  constructor(text = "") {
    this.#text = text;
  }

  get text(): string {
    return [this.#text, this.#arriving].filter((part) => part.trim() !== "").join("\n\n");
  }

  apply(event: AgentEvent): void {
    if (event.type === "assistant-message") {
      const text = textOf(event.answer.message.content);
      if (text.trim() !== "") this.#text = text;
      this.#arriving = "";
    } else if (event.type === "text-delta") {
      this.#arriving = this.#isAskedAnew ? event.text : this.#arriving + event.text;
      this.#isAskedAnew = false;
    } else if (event.type === "turn-start" || event.type === "model-retry") {
      this.#isAskedAnew = true;
    }
  }
}
