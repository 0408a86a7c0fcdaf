import type { ShellWord } from "../shell/shell-word.ts";
import { matchesLiterals } from "../rules/glob-match.ts";

/** The pattern of a rule for Bash, between its parentheses. `*` is any text; the rest is literal. */
export interface CommandPattern {
  /** The text between the stars. */
  readonly literals: readonly string[];
  /** Ends in ` *` or `:*`: the literal before it must end there or go on with a blank. */
  readonly endsAtWord: boolean;
  readonly hasStar: boolean;
}

export function commandPattern(specifier: string): CommandPattern {
  const ending = /^(.*?)(?: |:)\*$/s.exec(specifier);
  const literals = (ending?.[1] ?? specifier).split(/\*+/);
  return {
    literals,
    endsAtWord: ending !== null,
    hasStar: ending !== null || literals.length > 1,
  };
}

/** Whether the pattern fits a text that is known whole. */
export function matchesCommand({ literals, endsAtWord }: CommandPattern, text: string): boolean {
  return matchesLiterals(literals, text, endsAtWord);
}

/**
 * Whether the pattern fits words if options, and what may be their values, are left out between its own: `npm --silent publish`
 * for `npm publish *`. Such options mostly change nothing about what is run.
 */
export function matchesPastOptions(
  { literals: [literal = "", ...others], hasStar }: CommandPattern,
  [name, ...args]: readonly ShellWord[],
): boolean {
  const wanted = literal.trim().split(/\s+/);
  const isPrefix = others.length === 1 && others[0] === "";
  if (wanted.length < 2 || (others.length > 0 && !isPrefix)) return false;
  if (name?.isStatic !== true || name.text !== wanted[0]) return false;
  let next = 1;
  let [skips, takesValue] = [false, false];
  for (const { isStatic, text, pieces, canSplit } of args) {
    const want = wanted[next];
    const isOption = /^[-+]/.test(pieces[0] ?? "");
    if (want === undefined) {
      if (!hasStar && !isOption) return false;
    } else if (isStatic && (text === want || (isPrefix && isLast(next) && text.startsWith(want)))) {
      next += 1;
      takesValue = false;
    } else {
      if (!isOption && !takesValue) return false;
      // Without quotes a variable may be the value and more.
      if (canSplit) return true;
      skips = true;
      takesValue = isOption && text.startsWith("-") && !text.includes("=");
    }
  }
  return skips && next === wanted.length;

  function isLast(at: number): boolean {
    return at === wanted.length - 1;
  }
}

/** Whether the pattern may fit words of which only running tells the whole text. */
export function mayMatchCommand(pattern: CommandPattern, words: readonly ShellWord[]): boolean {
  if (!mayBegin(pattern, words)) return false;
  const wanted = [...symbols(pattern)];
  const given = symbolsOf(words);
  // Which places of the pattern can be reached after each symbol of the text.
  let open = closure(new Set([0]), wanted);
  for (const symbol of given) {
    const next = new Set<number>();
    if (symbol === anyText) {
      // It may be whatever the pattern wants from the first open place on.
      for (let at = Math.min(...open); at <= wanted.length; at += 1) next.add(at);
    }
    for (const at of open) {
      const want = wanted[at];
      if (want === anyText) next.add(at);
      else if (want === symbol) next.add(at + 1);
    }
    if (next.size === 0) return false;
    open = closure(next, wanted);
  }
  return open.has(wanted.length) || (pattern.endsAtWord && boundary(open, wanted));
}

/** The known beginning decides most of the time. */
function mayBegin(
  { literals: [wanted = ""] }: CommandPattern,
  [name]: readonly ShellWord[],
): boolean {
  if (name === undefined || name.canSplit || !name.isStatic) return true;
  return name.text.startsWith(wanted) || wanted.startsWith(name.text);
}

const anyText = Symbol("any text");
type PatternSymbol = string | typeof anyText;

/** With a word boundary at the end, the pattern is its literal, or its literal, a blank and any text. */
function* symbols({ literals, endsAtWord }: CommandPattern): Generator<PatternSymbol> {
  for (const [index, literal] of literals.entries()) {
    if (index > 0) yield anyText;
    yield* literal;
  }
  if (endsAtWord) {
    yield " ";
    yield anyText;
  }
}

function boundary(open: ReadonlySet<number>, wanted: readonly PatternSymbol[]): boolean {
  return open.has(wanted.length - 2);
}

/** Open words may be empty or several: the blank before them is theirs. Several in a row say no more than one. */
function symbolsOf(words: readonly ShellWord[]): PatternSymbol[] {
  const symbols: PatternSymbol[] = [];
  for (const symbol of eachSymbol(words))
    if (symbol !== anyText || symbols.at(-1) !== anyText) symbols.push(symbol);
  return symbols;
}

function* eachSymbol(words: readonly ShellWord[]): Generator<PatternSymbol> {
  for (const [index, word] of words.entries()) {
    if (index > 0 && !word.canSplit) yield " ";
    for (const piece of word.canSplit ? [null, ...word.pieces] : word.pieces) {
      if (piece === null) yield anyText;
      else yield* piece;
    }
  }
}

function closure(places: Set<number>, wanted: readonly PatternSymbol[]): Set<number> {
  for (const at of places) if (wanted[at] === anyText) places.add(at + 1);
  return places;
}
