import { openContext } from "./context-patterns.ts";
import type { Redactor } from "./redactor.ts";

/**
 * Redacts a text that comes in pieces. A secret may be spread over several, so the end is held back while it could be the
 * beginning of one: the last word, and what announces a secret before it. All pieces together are the whole text redacted.
 */
export class StreamRedactor {
  readonly #redactor: Redactor;
  #held = "";

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** What can be shown now; often nothing. */
  push(piece: string): string {
    this.#held += piece;
    const cut = safeCut(this.#held, this.#redactor.reach);
    if (cut === 0) return "";
    const ready = this.#held.slice(0, cut);
    this.#held = this.#held.slice(cut);
    return this.#redactor.text(ready);
  }

  /** The rest, when no more will come. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return rest === "" ? "" : this.#redactor.text(rest);
  }
}

/** A word that is longer is no secret but data; a block is no key. */
const longestWord = 8192;
const longestBlock = 32_768;
/** The longest announcement: a name, a sign, blanks and quotes, or `login … password`. */
const longestContext = 256;

/** How much of a text holds no beginning of something that may go on. */
export function safeCut(text: string, reach: Redactor["reach"]): number {
  const block = openBlock(text);
  const end =
    reach === "line" ? Math.max(text.lastIndexOf("\n") + 1, text.length - longestWord) : block;
  let cut = beforeWord(text, Math.min(end, block, reach === "line" ? block : text.length - reach));
  while (cut > 0) {
    const before = text.slice(Math.max(0, cut - longestContext), cut);
    const context = openContext.exec(before);
    if (context === null) return cut;
    cut = beforeWord(text, cut - before.length + context.index);
  }
  return 0;
}

/** Where the last block of dashes begins that has no end yet. */
function openBlock(text: string): number {
  const begin = text.lastIndexOf("-----BEGIN");
  if (begin === -1 || text.length - begin > longestBlock) return text.length;
  return /-----END [A-Z0-9 ]{1,40}-----/.test(text.slice(begin)) ? text.length : begin;
}

/** After the last blank before a place; 0 when there is none. */
function beforeWord(text: string, place: number): number {
  let at = Math.max(0, place);
  while (at > 0 && !/\s/.test(text.charAt(at - 1))) at -= 1;
  const isEndless = at === 0 ? place > longestWord : place - at > longestWord;
  return isEndless ? place - longestWord / 2 : at;
}
