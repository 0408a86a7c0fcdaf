import type { ShellWord } from "../shell/shell-word.ts";
import type { CommandPattern } from "./pattern.ts";

/*
 * How a rule that allows, with a star, is held against words. A blank in the rule is a border between words, so that a word with a
 * blank in it fits nothing but a star. A star inside a word stays in it, and below the directory that the rule names.
 */

/** Stands between words; no word has it in it. */
const border = "\0";
const anyText = Symbol("any text");
const anyInWord = Symbol("any text of one word");
type Sign = string | typeof anyText | typeof anyInWord;

/** Whether a pattern with a star fits these words. */
export function coversWords(pattern: CommandPattern, words: readonly ShellWord[]): boolean {
  const signs = [...signsOf(pattern)];
  const text = words.map((word) => word.text).join(border);
  let reached = opened(new Set([0]), signs);
  for (const character of text) {
    const next = new Set<number>();
    for (const at of reached) {
      const sign = signs[at];
      if (sign === anyText || (sign === anyInWord && character !== border)) next.add(at);
      else if (sign === character) next.add(at + 1);
    }
    if (next.size === 0) return false;
    reached = opened(next, signs);
  }
  const isWhole = reached.has(signs.length);
  // `a *` is `a`, too.
  const isBare = pattern.endsAtWord && reached.has(signs.length - 2);
  return (isWhole || isBare) && !words.some((word) => leadsAway(pattern, word));
}

function* signsOf({ literals, endsAtWord }: CommandPattern): Generator<Sign> {
  for (const [at, literal] of literals.entries()) {
    const isInside = /\S$/.test(literals[at - 1] ?? "") && /^\S/.test(literal);
    if (at > 0) yield isInside ? anyInWord : anyText;
    yield* literal.replaceAll(/\s/g, border);
  }
  if (endsAtWord) {
    yield border;
    yield anyText;
  }
}

function opened(places: Set<number>, signs: readonly Sign[]): Set<number> {
  for (const at of places) if (typeof signs[at] === "symbol") places.add(at + 1);
  return places;
}

/** Whether a word begins as the pattern says and then goes up, or may: `./scripts/../../bin/sh` for `./scripts/*`. */
function leadsAway({ literals, endsAtWord }: CommandPattern, word: ShellWord): boolean {
  const starts = literals
    .slice(0, endsAtWord ? literals.length - 1 : -1)
    .map((literal) => /\S*$/.exec(literal)?.[0] ?? "");
  const text = word.isStatic ? word.text : word.text.replace(/^["']/, "");
  return starts.some((start) => {
    if (start === "" || !text.startsWith(start)) return false;
    const rest = text.slice(start.lastIndexOf("/") + 1);
    return /(?:^|\/)\.\.(?:\/|$)/.test(rest) || (!word.isStatic && start.includes("/"));
  });
}
