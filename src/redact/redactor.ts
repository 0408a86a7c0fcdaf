import { environmentSecrets, spellings, type Needle } from "./environment-secrets.ts";
import { ownExpression, replaceOwn } from "./own-patterns.ts";
import { replacePrivateKeys } from "./private-keys.ts";
import { redactDeep } from "./redact-deep.ts";
import { contextMarker, contextPatterns } from "./context-patterns.ts";
import { replaceShapes } from "./replace-shapes.ts";
import { replaceEach, shown } from "./replace-pattern.ts";
import { anyMarker, secretPatterns } from "./secret-patterns.ts";

export interface RedactorOptions {
  /** Values of variables that look secret are redacted. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What else is secret. */
  readonly extra?: {
    /** Regular expressions that `ownPatternProblem` finds nothing wrong with. */
    readonly patterns?: readonly string[];
    readonly values?: readonly string[];
  };
  readonly enabled?: boolean;
}

/**
 * Takes secrets out of what is written down or told. Neither method throws. Redacting twice changes nothing more; what has
 * no secret in it comes back as the same value.
 */
export interface Redactor {
  readonly text: (value: string) => string;
  /** All strings of plain data, names of fields too; what it is given is never changed. */
  readonly deep: <Value>(value: Value) => Value;
  /** How far before the end of a text a secret with blanks in it may begin; `line`: anywhere in the last line. */
  readonly reach: number | "line";
}

export function createRedactor(options: RedactorOptions = {}): Redactor {
  if (options.enabled === false) return openRedactor;
  const { env = {}, extra = {} } = options;
  const needles = [
    ...environmentSecrets(env),
    ...(extra.values ?? [])
      .filter((value) => value !== "")
      .flatMap((value) => spellings("value", value)),
    // Short values have no spelling that is long enough to be told from chance; as they stand they are somebody's wish.
    ...(extra.values ?? [])
      .filter((value) => value !== "")
      .map((text) => ({ name: "value", text })),
  ].toSorted((a, b) => b.text.length - a.text.length);
  const own = (extra.patterns ?? []).map(ownExpression);
  const search = new Search(needles, own);
  const text = remembering((value) => search.replaceAll(value));
  const spaced = needles.filter((needle) => /\s/.test(needle.text));
  return {
    text,
    deep: (value) => redactDeep(value, text),
    reach: own.length > 0 ? "line" : Math.max(0, ...spaced.map((needle) => needle.text.length)),
  };
}

/** Changes nothing. */
export const openRedactor: Redactor = { text: (value) => value, deep: (value) => value, reach: 0 };

/** Replacing can bring forth another match, at an edge that was inside a word before: so it goes on until nothing changes. */
const mostPasses = 10;
/** As long as the shortest of all that patterns find: `pwd=` and eight characters. */
const leastByPattern = 12;

class Search {
  readonly #needles: readonly Needle[];
  /** All of them at once: one walk through the text instead of many. */
  readonly #anyNeedle: RegExp | undefined;
  readonly #own: readonly RegExp[];
  readonly #placeholder: RegExp;
  /** Nothing shorter can be or hold a secret. */
  readonly #least: number;

  constructor(needles: readonly Needle[], own: readonly RegExp[]) {
    this.#needles = needles;
    this.#anyNeedle =
      needles.length === 0
        ? undefined
        : new RegExp(needles.map(({ text }) => RegExp.escape(text)).join("|"));
    this.#own = own;
    const names = [...secretPatterns, ...needles, { name: "private-key" }, { name: "pattern" }];
    const known = [...new Set(names.map(({ name }) => RegExp.escape(name)))].join("|");
    this.#placeholder = new RegExp(`(\\[redacted:(?:${known})\\])`);
    const shortest = Math.min(leastByPattern, ...needles.map(({ text }) => text.length));
    this.#least = own.length > 0 ? 1 : shortest;
  }

  replaceAll(given: string): string {
    let text = given;
    for (let pass = 0; pass < mostPasses; pass += 1) {
      const next = text.includes("[redacted:") ? this.#betweenPlaceholders(text) : this.#pass(text);
      if (next === text) return text;
      text = next;
    }
    return text;
  }

  /** What was redacted stays as it is, whatever somebody's own patterns would find in it. */
  #betweenPlaceholders(text: string): string {
    return text
      .split(this.#placeholder)
      .map((part, index) => (index % 2 === 1 ? part : this.#pass(part)))
      .join("");
  }

  #withoutNeedles(given: string): string {
    let text = given;
    for (const needle of this.#needles) {
      if (text.includes(needle.text)) text = text.replaceAll(needle.text, () => shown(needle.name));
    }
    return text;
  }

  #pass(given: string): string {
    if (given.length < this.#least) return given;
    let text = given;
    if (this.#anyNeedle?.test(text) === true) text = this.#withoutNeedles(text);
    for (const expression of this.#own) text = replaceOwn(text, expression, shown("pattern"));
    if (text.length < leastByPattern || !anyMarker.test(text)) return text;
    text = replacePrivateKeys(text, shown("private-key"));
    text = replaceShapes(text);
    return contextMarker.test(text) ? replaceEach(text, contextPatterns) : text;
  }
}

/** Long texts go through several events, as input, as result and as data of one call: each is searched once. */
function remembering(redact: (text: string) => string): (text: string) => string {
  const kept: { given: string; result: string }[] = [];
  return (given) => {
    if (given.length < 256) return redact(given);
    const known = kept.find((one) => one.given === given);
    if (known !== undefined) return known.result;
    const result = redact(given);
    if (kept.push({ given, result }) > 6) kept.shift();
    return result;
  };
}
