import { crc32 } from "node:zlib";
import type { AgentEventBody } from "../../events/event.ts";
import type { AssistantMessage, ToolResultContent } from "../../contract/message.ts";

/** Size of a generation; the latest two are remembered. More would cost memory in every agent of a large run. */
const generation = 2048;
/** Words in a row that tell new text from known text. */
const wordsInARow = 8;
const longestWord = 64;

/**
 * Tells progress from mere activity: an event is news if it says something that this agent has not produced before.
 * Repeating a call with the same result is no news, nor is a command that prints one line for ever, nor an answer that
 * runs in circles.
 */
export class Progress {
  #known = new Set<number>();
  #knownBefore = new Set<number>();
  #words: string[] = [];
  #word = "";

  /** Whether the event is news. Remembers it. */
  isNews(event: AgentEventBody): boolean {
    switch (event.type) {
      case "prompt":
        return this.#isNew(`prompt ${event.text}`);
      case "turn-start":
      case "model-retry":
        // The same words are the same, however the pieces are cut.
        this.#words = [];
        this.#word = "";
        return false;
      case "text-delta":
      case "thinking-delta":
        return this.#isNewText(event.text);
      case "assistant-message":
        return this.#isNew(`answer ${sayingOf(event.answer.message)}`);
      case "tool-call-progress":
        return this.#isNewOutput(event.text);
      case "tool-call-end":
        return this.#isNew(`${event.call.name} ${resultText(event.result.content)}`);
      default:
        return false;
    }
  }

  #isNewText(text: string): boolean {
    const words = (this.#word + text).split(/\s+/);
    const open = words.pop() ?? "";
    const whole = open.length - (open.length % longestWord);
    this.#word = open.slice(whole);
    let isNew = false;
    for (const word of [...words, open.slice(0, whole)]) {
      for (let at = 0; at < word.length; at += longestWord) {
        if (this.#isNewWord(word.slice(at, at + longestWord))) isNew = true;
      }
    }
    return isNew;
  }

  #isNewWord(word: string): boolean {
    this.#words.push(word);
    if (this.#words.length > wordsInARow) this.#words.shift();
    return this.#isNew(`words ${this.#words.join(" ")}`);
  }

  #isNewOutput(text: string): boolean {
    let isNew = false;
    for (const line of text.split(/[\r\n]+/)) {
      const shown = line.trim();
      if (shown !== "" && this.#isNew(`line ${shown}`)) isNew = true;
    }
    return isNew;
  }

  /** Whether a text is new. A known text is remembered anew, so that a long circle is never forgotten. */
  #isNew(text: string): boolean {
    const hash = crc32(text);
    if (this.#known.has(hash)) return false;
    this.#known.add(hash);
    const isNew = !this.#knownBefore.has(hash);
    if (this.#known.size === generation) {
      this.#knownBefore = this.#known;
      this.#known = new Set();
    }
    return isNew;
  }
}

function resultText(content: ToolResultContent): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

/** The text of an answer without parts that always differ: ids of calls, signatures. */
function sayingOf({ content }: AssistantMessage): string {
  return JSON.stringify(
    content.map((block) => {
      switch (block.type) {
        case "text":
          return block.text;
        case "thinking":
          return block.thinking;
        case "redacted_thinking":
          return "";
        case "tool_use":
          return [block.name, block.input];
      }
    }),
  );
}
