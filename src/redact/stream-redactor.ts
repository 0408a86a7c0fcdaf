import { cookieHeader, endsCookies, openContext } from "./context-patterns.ts";
import type { Redactor } from "./redactor.ts";

/**
 * Redacts a text that arrives in pieces. A secret may be spread over several, so the end is held back while it could
 * begin one: the last word, and the context of a secret before it. All pieces together are the whole text redacted.
 */
export class StreamRedactor {
  readonly #redactor: Redactor;
  #held = "";

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Adds a piece and returns the text that can be shown now; often nothing. */
  push(piece: string): string {
    this.#held += piece;
    const cut = safeCut(this.#held, this.#redactor.spread);
    if (cut === 0) return "";
    const ready = this.#held.slice(0, cut);
    this.#held = this.#held.slice(cut);
    return this.#redactor.text(ready);
  }

  /** Returns the rest, when no more will arrive. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return rest === "" ? "" : this.#redactor.text(rest);
  }
}

/** Longest word; a longer one is data, not a secret, and a longer block is no key. */
const longestWord = 8192;
const longestBlock = 32_768;
/** Longest context: `login`, a word that may be a secret itself, `password`. */
const longestContext = longestWord + 256;
/**
 * Most contexts in a row (`login login login …`); further ones are shown, because finding the first would take ever
 * longer.
 */
const mostContexts = 64;

/** The length of text that can be cut off without splitting a secret, or one that is still arriving. */
export function safeCut(text: string, { texts, lines }: Redactor["spread"]): number {
  let cut = lines ? beforeLine(text) : beforeWord(text, text.length);
  for (let contexts = 0; ; contexts += 1) {
    const next = Math.min(
      beforeBlock(text, cut),
      ...(contexts < mostContexts ? [beforeContext(text, cut), beforeCookies(text, cut)] : []),
      ...texts.map((secret) => beforeText(text, cut, secret)),
    );
    if (next === cut) return cut;
    cut = beforeWord(text, next);
  }
}

function beforeLine(text: string): number {
  return Math.max(text.lastIndexOf("\n") + 1, text.length - longestWord);
}

/** The position after the last blank before a position; 0 if there is none. */
function beforeWord(text: string, place: number): number {
  let at = place;
  while (at > 0 && !/\s/.test(text.charAt(at - 1))) at -= 1;
  return place - at > longestWord ? place - longestWord / 2 : at;
}

/** The beginning of a block of dashes that the cut would split, whether or not its end has arrived. */
function beforeBlock(text: string, cut: number): number {
  const begin = text.lastIndexOf("-----BEGIN", cut);
  if (begin === -1 || text.length - begin > longestBlock) return cut;
  const end = /-----END [A-Z0-9 ]{1,40}-----/.exec(text.slice(begin));
  return end !== null && begin + end.index + end[0].length <= cut ? cut : Math.min(begin, cut);
}

/** The beginning of a secret's context, if the cut would come right after it. */
function beforeContext(text: string, cut: number): number {
  const before = keysAsWords(text.slice(Math.max(0, cut - longestContext), cut));
  const context = openContext.exec(before);
  return context === null ? cut : cut - before.length + context.index;
}

/** The beginning of a header of cookies that reaches the cut: it contains blanks. */
function beforeCookies(text: string, cut: number): number {
  const from = Math.max(0, cut - longestContext);
  const before = text.slice(from, cut);
  let end = before.length;
  while (end > 0 && !endsCookies(before, end - 1)) end -= 1;
  const open = before
    .matchAll(cookieHeader)
    .find(({ index, 0: header }) => index + header.length >= end);
  return open === undefined ? cut : from + open.index;
}

/**
 * Turns each key of many lines into one word. After the last end no beginning is checked: each check would read all of
 * the text.
 */
function keysAsWords(text: string): string {
  const last = [...text.matchAll(/-----END [A-Z0-9 ]{1,40}-----/g)].at(-1);
  if (last === undefined) return text;
  const end = last.index + last[0].length;
  const words = text
    .slice(0, end)
    .replaceAll(/-----BEGIN[^]*?-----END [A-Z0-9 ]{1,40}-----/g, (key) => "x".repeat(key.length));
  return words + text.slice(end);
}

/** The beginning of a known secret that the cut would split, as far as it has arrived. */
function beforeText(text: string, cut: number, secret: string): number {
  for (let from = Math.max(0, cut - secret.length + 1); from < cut; from += 1) {
    if (text.startsWith(secret.slice(0, text.length - from), from)) return from;
  }
  return cut;
}
