/** One word of a command, as far as that can be told without running anything. */
export interface ShellWord {
  /** The text that bash passes on, with quotes and escapes resolved. A word that is not static stands as it was written. */
  readonly text: string;
  /** The same in pieces; `null`: any text. */
  readonly pieces: readonly (string | null)[];
  /** Bash passes on exactly `text`. A leading `~` may still stand for the home directory. */
  readonly isStatic: boolean;
  /** Only file names can change it: it has an unquoted `*` or `?`, and nothing else is open. */
  readonly isGlob: boolean;
  /** A glob, behind the home directory if it starts with that: `*` and `?` as they are, literal ones behind a backslash. */
  readonly pattern: string | null;
  /** Some `*` or `?` in it is not quoted. */
  readonly hasGlob: boolean;
  /** Nothing, or several words, can come out of it: it expands without quotes around it. */
  readonly canSplit: boolean;
  /** The variables in it that have no quotes around them; `null`: the output of a command. */
  readonly unquoted: readonly (string | null)[];
  /** All its variables and outputs of commands, in order. */
  readonly opens: readonly OpenPiece[];
  /** The rest of a word that starts with the home directory, written `~`, `$HOME` or `${HOME}`. */
  readonly belowHome: string | null;
  /** A variable with a slash or a glob directly under it, as in `"$D"/*`. */
  readonly isUnderVariable: boolean;
}

/** A variable, or (`name` is `null`) the output of a command. */
export interface OpenPiece {
  readonly kind: "open";
  readonly name: string | null;
  readonly quoted: boolean;
  /** The output, where it is known: that of `cat` with a here-document. */
  readonly text?: string;
}

/** A stretch of a word. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "glob"; readonly text: string }
  /** A leading `~`. */
  | { readonly kind: "home" }
  | OpenPiece;

/** `written`: the word with its quotes and escapes. */
export function wordOf(parts: readonly Piece[], written: string): ShellWord {
  const pieces = parts.filter((piece) => piece.kind !== "text" || piece.text !== "");
  const isOpen = pieces.some(({ kind }) => kind === "open");
  const hasGlob = pieces.some(({ kind }) => kind === "glob");
  const isStatic = !isOpen && !hasGlob;
  const belowHome = restBelowHome(pieces);
  const found = belowHome === null ? pieces : pieces.slice(1);
  return {
    text: isStatic ? pieces.map(textOf).join("") : written,
    pieces: pieces.map((piece) =>
      piece.kind === "open" || piece.kind === "glob" ? null : textOf(piece),
    ),
    isStatic,
    isGlob: hasGlob && !isOpen,
    hasGlob,
    pattern: hasGlob && (!isOpen || belowHome !== null) ? patternOf(found) : null,
    canSplit: pieces.some(
      (piece) => piece.kind === "glob" || (piece.kind === "open" && !piece.quoted),
    ),
    unquoted: pieces.flatMap((piece) =>
      piece.kind === "open" && !piece.quoted ? [piece.name] : [],
    ),
    opens: pieces.filter((piece) => piece.kind === "open"),
    belowHome,
    isUnderVariable: isUnderVariable(pieces),
  };
}

/** A word that is known whole. */
export function literalWord(text: string): ShellWord {
  return wordOf([{ kind: "text", text }], text);
}

/** A word, or several, of which nothing is known: what `xargs` adds. */
export const unknownWords: ShellWord = wordOf([{ kind: "open", name: null, quoted: false }], "…");

/** A word with any text in the place of this one. */
export function openWord(word: ShellWord): ShellWord {
  return { ...unknownWords, text: word.text, canSplit: word.canSplit };
}

function textOf(piece: Piece): string {
  if (piece.kind === "home") return "~";
  return piece.kind === "open" ? "" : piece.text;
}

function patternOf(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) =>
      piece.kind === "glob" ? piece.text : textOf(piece).replaceAll(/[\\*?]/g, String.raw`\$&`),
    )
    .join("");
}

function restBelowHome([first, ...others]: readonly Piece[]): string | null {
  const isHome = first?.kind === "home" || (first?.kind === "open" && first.name === "HOME");
  if (!isHome || others.some(({ kind }) => kind === "open")) return null;
  const rest = others.map(textOf).join("");
  return rest === "" || rest.startsWith("/") ? rest : null;
}

/** `$D/`, `"$D"/*`, `$D/*.o`, `$A/$B/`: variables that may be empty, and right under them nothing, or a glob. */
function isUnderVariable(pieces: readonly Piece[]): boolean {
  const shape = pieces.map((piece) => (piece.kind === "open" ? "\0" : textOf(piece))).join("");
  const [, rest] = /^[\0/]*\0\/(.*)$/s.exec(shape) ?? [];
  if (rest === undefined) return false;
  const hasGlob = pieces.some(({ kind }) => kind === "glob");
  return /^[/*?.]*$/.test(rest) || (hasGlob && /^[^/]*[*?]/.test(rest));
}
