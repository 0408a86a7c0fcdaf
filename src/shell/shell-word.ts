import type { Word, WordPart } from "unbash";

/** One word of a command, as far as that can be told without running anything. */
export interface ShellWord {
  /** What bash passes on, with quotes and escapes resolved. What only running can tell stands as it was written. */
  readonly text: string;
  /** The same in pieces; `null`: any text. */
  readonly pieces: readonly (string | null)[];
  /** Bash passes on exactly `text`. A leading `~` may still stand for the home directory. */
  readonly isStatic: boolean;
  /** Only file names can change it: it has an unquoted `*`, `?` or `[…]`, and nothing else is open. */
  readonly isGlob: boolean;
  /** It has an unquoted `*`, `?` or `[…]`. */
  readonly hasGlob: boolean;
  /** Nothing, or several words, can come out of it: it expands without quotes around it. */
  readonly canSplit: boolean;
  /** It starts with the home directory, written `~`, `$HOME` or `${HOME}`: the rest of it. */
  readonly belowHome: string | null;
  /** It is a variable with a slash or a glob directly under it, as in `"$D"/*`. */
  readonly isUnderVariable: boolean;
  /** It is a process substitution and nothing else: a pipe that bash makes. */
  readonly isProcess: boolean;
}

export function shellWord(word: Word): ShellWord {
  const { parts } = word;
  if (parts === undefined) return literalWord(word.value, word.text);
  const pieces = /^~[^/]/.test(word.text) ? [null] : parts.flatMap(piecesOf);
  const isStatic = pieces.every((piece) => piece !== null);
  const isGlob = !isStatic && parts.every((part) => part.type === "Glob" || isFixed(part));
  return {
    text: isStatic ? pieces.join("") : word.value,
    pieces,
    isStatic,
    isGlob,
    hasGlob: parts.some(({ type }) => type === "Glob"),
    canSplit: parts.some((part) => splitting.has(part.type)),
    belowHome: restBelowHome(word, parts),
    isUnderVariable: isUnderVariable(parts),
    isProcess: parts.length === 1 && parts[0]?.type === "ProcessSubstitution",
  };
}

/** A word that is known whole. `written`: with its quotes and escapes. */
export function literalWord(text: string, written = text): ShellWord {
  // `~name`, `~+` and `~-` are directories that only bash knows.
  const isStatic = !/^~[^/]/.test(written);
  return {
    text,
    pieces: [isStatic ? text : null],
    isStatic,
    isGlob: false,
    hasGlob: false,
    canSplit: false,
    belowHome: /^~(?:\/|$)/.test(written) ? text.slice(1) : null,
    isUnderVariable: false,
    isProcess: false,
  };
}

/** A word, or several, of which nothing is known: what `xargs` adds. */
export const unknownWords: ShellWord = {
  text: "…",
  pieces: [null],
  isStatic: false,
  isGlob: false,
  hasGlob: false,
  canSplit: true,
  belowHome: null,
  isUnderVariable: false,
  isProcess: false,
};

const splitting: ReadonlySet<WordPart["type"]> = new Set([
  "SimpleExpansion",
  "ParameterExpansion",
  "CommandExpansion",
  "ArithmeticExpansion",
  "BraceExpansion",
  "Glob",
  "ExtendedGlob",
]);

function piecesOf(part: WordPart): (string | null)[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [part.value];
    case "DoubleQuoted":
      return part.parts.flatMap(piecesOf);
    default:
      return [null];
  }
}

function isFixed(part: WordPart): boolean {
  return piecesOf(part).every((piece) => piece !== null);
}

function restBelowHome(word: Word, parts: readonly WordPart[]): string | null {
  const [first, ...others] = inside(parts);
  const rest = others.flatMap((part) => (part.type === "Glob" ? [part.value] : piecesOf(part)));
  if (first === undefined || rest.includes(null)) return null;
  const isTilde = first.type === "Literal" && /^~(?:\/|$)/.test(word.text);
  if (isTilde) return [first.value.slice(1), ...rest].join("");
  const isHome = first.text === "$HOME" || first.text === "${HOME}";
  const text = rest.join("");
  return isHome && (text === "" || text.startsWith("/")) ? text : null;
}

/** `$D/`, `"$D"/*`, `$D/*.o`, `$A/$B/`: variables that may be empty, and right under them nothing, or a glob. */
function isUnderVariable(parts: readonly WordPart[]): boolean {
  const shape = inside(parts).map((part) => (variables.has(part.type) ? variable : shapeOf(part)));
  const [, rest] = /^[\0/]*\0\/(.*)$/s.exec(shape.join("")) ?? [];
  if (rest === undefined) return false;
  const hasGlob = parts.some(({ type }) => type === "Glob");
  return /^[/*?.]*$/.test(rest) || (hasGlob && /^[^/]*[*?[]/.test(rest));
}

const variable = "\0";
const variables: ReadonlySet<WordPart["type"]> = new Set(["SimpleExpansion", "ParameterExpansion"]);

function shapeOf(part: WordPart): string {
  return "value" in part && typeof part.value === "string" ? part.value : part.text;
}

/** The parts, with those inside double quotes in their place. */
function inside(parts: readonly WordPart[]): WordPart[] {
  return parts.flatMap((part): readonly WordPart[] =>
    part.type === "DoubleQuoted" ? part.parts : [part],
  );
}
