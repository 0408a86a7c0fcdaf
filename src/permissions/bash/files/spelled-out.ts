import { literalWord, type OpenPiece, type ShellWord } from "../../shell/shell-word.ts";
import type { SimpleCommand } from "../../shell/shell.ts";

/** Variables of the shell that change while a line runs. */
const changing = /^(?:_|BASH\w*|REPLY|OPT\w+|PWD|OLDPWD|RANDOM|SECONDS|LINENO|MAPFILE)$/;

/** Commands that set a variable by its name. */
export const setters =
  /^(?:export|declare|typeset|local|readonly|read|printf|mapfile|readarray|getopts|unset)$/;

/** Spellings of one word that are looked at. */
const mostSpellings = 64;

/**
 * Finds the words that an open word can become: with each value that the line gives to its variables, or with those of the
 * environment. `null`: only running would tell.
 */
export function spelledOut(
  word: ShellWord,
  commands: readonly SimpleCommand[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly ShellWord[] | null {
  if (word.isStatic || word.isGlob || word.belowHome !== null) return [word];
  const values = word.opens.map((piece) => valuesOf(piece, commands, environment));
  const [first = null, ...others] = values;
  // A variable alone may stand for a glob: `for f in *.ts`.
  if (word.pieces.length === 1 && others.length === 0) return first;
  if (word.hasGlob) return null;
  let texts = [""];
  let at = 0;
  for (const piece of word.pieces) {
    const added = piece === null ? staticTexts(values[at++] ?? null) : [piece];
    if (added === null || texts.length * added.length > mostSpellings) return null;
    texts = texts.flatMap((text) => added.map((one) => text + one));
  }
  return texts.map(literalWord);
}

function staticTexts(words: readonly ShellWord[] | null): readonly string[] | null {
  return words?.every(({ isStatic }) => isStatic) === true ? words.map(({ text }) => text) : null;
}

function valuesOf(
  { name, text, quoted }: OpenPiece,
  commands: readonly SimpleCommand[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly ShellWord[] | null {
  const values = text === undefined ? variable(name, commands, environment) : [literalWord(text)];
  // Without quotes bash splits a value, and expands what is in it.
  const isOdd = values?.some((value) => value.isStatic && /[\s*?[\\]/.test(value.text)) ?? false;
  return isOdd && !quoted ? null : values;
}

function variable(
  name: string | null,
  commands: readonly SimpleCommand[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly ShellWord[] | null {
  // The status of a command is a number.
  if (name === "?") return [literalWord("0")];
  if (name === null || changing.test(name)) return null;
  if (commands.some(({ words }) => words.some(({ text }) => setters.test(text)))) return null;
  const assigned = commands
    .flatMap(({ assignments }) => assignments)
    .filter((one) => one.name === name);
  const known = assigned.flatMap(({ value }) =>
    value !== null && (value.isStatic || value.isGlob) && value.belowHome === null ? [value] : [],
  );
  if (known.length < assigned.length || known.length > mostSpellings) return null;
  const given = environment[name];
  // Bash has variables of its own; none of them has small letters.
  if (given === undefined && assigned.length === 0 && !/^[a-z]\w*$/.test(name)) return null;
  // An assignment may not have happened yet, or in another shell.
  return [...known, literalWord(given ?? "")];
}
