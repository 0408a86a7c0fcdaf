import type { ShellWord } from "../shell/shell-word.ts";
import { matchesLiterals } from "../rules/glob-match.ts";

/** What stands between the parentheses of a rule for Bash. `*` is any text; the rest is literal. */
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

/** What is known of the beginning decides most of the time. */
function mayBegin(
  { literals: [wanted = ""] }: CommandPattern,
  [name]: readonly ShellWord[],
): boolean {
  if (name === undefined || name.canSplit || !name.isStatic) return true;
  return name.text.startsWith(wanted) || wanted.startsWith(name.text);
}

const anyText = Symbol("any text");
type Piece = string | typeof anyText;

/** With a word boundary at the end, the pattern is its literal, or its literal, a blank and any text. */
function* symbols({ literals, endsAtWord }: CommandPattern): Generator<Piece> {
  for (const [index, literal] of literals.entries()) {
    if (index > 0) yield anyText;
    yield* literal;
  }
  if (endsAtWord) {
    yield " ";
    yield anyText;
  }
}

function boundary(open: ReadonlySet<number>, wanted: readonly Piece[]): boolean {
  return open.has(wanted.length - 2);
}

/** Open words may be empty or several: the blank before them is theirs. Several in a row say no more than one. */
function symbolsOf(words: readonly ShellWord[]): Piece[] {
  const symbols: Piece[] = [];
  for (const symbol of eachSymbol(words))
    if (symbol !== anyText || symbols.at(-1) !== anyText) symbols.push(symbol);
  return symbols;
}

function* eachSymbol(words: readonly ShellWord[]): Generator<Piece> {
  for (const [index, word] of words.entries()) {
    if (index > 0 && !word.canSplit) yield " ";
    for (const piece of word.canSplit ? [null, ...word.pieces] : word.pieces) {
      if (piece === null) yield anyText;
      else yield* piece;
    }
  }
}

function closure(places: Set<number>, wanted: readonly Piece[]): Set<number> {
  for (const at of places) if (wanted[at] === anyText) places.add(at + 1);
  return places;
}
