import { wholeWords } from "./whole-words.ts";

/** Length of the part of an output that is shown. */
export const shownCharacters = 30_000;

/** The end of a text, and the number of characters before it. */
export interface TailText {
  readonly text: string;
  readonly omitted: number;
}

/** The end of a text of any length, in bounded memory. */
export class Tail {
  #length = 0;
  #text = "";

  add(text: string): void {
    this.#length += text.length;
    this.#text += text;
    if (this.#text.length > shownCharacters * 2) this.#text = this.#text.slice(-shownCharacters);
  }

  show(): TailText {
    const { text } = endOf(this.#text);
    return { text, omitted: this.#length - text.length };
  }
}

/**
 * The end of a text, cut between words and never inside a character: half a character would make a provider refuse the
 * whole request.
 */
export function endOf(text: string): TailText {
  if (text.length <= shownCharacters) return { text, omitted: 0 };
  const end = wholeWords(text.slice(-shownCharacters), "start").toWellFormed();
  return { text: end, omitted: text.length - end.length };
}
