import { contextMarker, contextPatterns } from "./context-patterns.ts";
import { once } from "../platform/once.ts";
import type { Needle } from "./environment-secrets.ts";
import { replaceOwn } from "./own-patterns.ts";
import { replacePrivateKeys } from "./private-keys.ts";
import { replaceEach, shown, redactionMark } from "./replace-pattern.ts";
import { replaceShapes } from "./replace-shapes.ts";
import { anyMarker, secretPatterns } from "./secret-patterns.ts";

/** Length of the shortest match of all patterns: `pwd=` and eight characters. */
const leastByPattern = 12;

/** Finds secrets of all kinds in a text. Replacements are never searched, whatever the user declares secret. */
export class Search {
  readonly #names: ReadonlyMap<string, string>;
  /** All known texts in one expression, the longest first: one pass instead of many. */
  readonly #anyNeedle: RegExp | undefined;
  readonly #own: readonly RegExp[];
  readonly #placeholder: () => RegExp;
  /** Shortest text that is searched. */
  readonly #least: number;

  constructor(needles: readonly Needle[], own: readonly RegExp[]) {
    const texts = [...new Set(needles.map(({ text }) => text))].toSorted(
      (a, b) => b.length - a.length,
    );
    this.#names = new Map(needles.map(({ text, name }) => [text, name]));
    this.#anyNeedle = texts.length === 0 ? undefined : new RegExp(anyOf(texts), "g");
    this.#own = own;
    this.#placeholder = once(() => {
      const names = [...secretPatterns, ...needles].map(({ name }) => name);
      return new RegExp(`(\\[redacted:(?:${anyOf([...names, "private-key", "pattern"])})\\])`);
    });
    this.#least = own.length > 0 ? 1 : Math.min(leastByPattern, texts.at(-1)?.length ?? Infinity);
  }

  /**
   * Replaces all secrets. A replacement can create another match, at an edge that was inside a word before: it repeats
   * until nothing changes, so that a second call would change nothing.
   */
  replace(given: string): string {
    let text = given;
    const mostPasses = 10 + this.#own.length;
    for (let pass = 0; pass < mostPasses; pass += 1) {
      const next = text.includes(redactionMark)
        ? this.#betweenPlaceholders(text)
        : this.#pass(text);
      if (next === text) return text;
      text = next;
    }
    return text;
  }

  #betweenPlaceholders(text: string): string {
    const parts = text.split(this.#placeholder());
    return parts.map((part, index) => (index % 2 === 1 ? part : this.#pass(part))).join("");
  }

  /** Returns after the first kind of secret that it found, so that the next kind is searched in the rest only. */
  #pass(given: string): string {
    if (given.length < this.#least) return given;
    const known = this.#withoutNeedles(given);
    if (known !== given) return known;
    for (const expression of this.#own) {
      const text = replaceOwn(given, expression, shown("pattern"));
      if (text !== given) return text;
    }
    if (given.length < leastByPattern || isCallId(given) || !anyMarker.test(given)) return given;
    const text = replaceShapes(replacePrivateKeys(given, shown("private-key")));
    return contextMarker.test(text) ? replaceEach(text, contextPatterns) : text;
  }

  #withoutNeedles(text: string): string {
    if (this.#anyNeedle === undefined) return text;
    return text.replace(this.#anyNeedle, (found) => shown(this.#names.get(found) ?? "value"));
  }
}

/** Whether a text is an id of an answer, request or call: they look random, and nearly every event has one. */
function isCallId(text: string): boolean {
  return text.length < 40 && /^(?:toolu|srvtoolu|msg|req)_\w+$/.test(text);
}

function anyOf(texts: readonly string[]): string {
  return [...new Set(texts)].map((text) => RegExp.escape(text)).join("|");
}
