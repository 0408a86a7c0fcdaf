import { basename } from "node:path";
import { literalWord, unknownWords, type ShellWord } from "../shell/shell-word.ts";
import type { SimpleCommand } from "../shell/shell.ts";
import { spelledOut } from "./files/spelled-out.ts";
import { matchesLiterals } from "../rules/glob-match.ts";
import { handedOn, takesOpenWords } from "./handed-on.ts";
import { open, shapeOf } from "./open-shape.ts";
import { matchesCommand, mayMatchCommand, type CommandPattern } from "./pattern.ts";
import type { BashView, RunText } from "./view.ts";

/** The line in which a command stands, as far as it tells what an open word becomes. */
export interface Line {
  readonly bash: BashView;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Whether a program may run one of its arguments, or a part of one, as a command that the pattern is about. */
export function mayHandOn(
  { words, command }: RunText,
  pattern: CommandPattern,
  line: Line,
): boolean {
  const inner = handedOn(words);
  const name = nameIn(pattern);
  if (inner === null) return true;
  return inner.some(([first, ...args], at) => {
    if (first === undefined) return false;
    const isHere = isFoundHere(first, command, line);
    return (spelled(first, line) ?? [first]).some((word) => {
      if (word.isStatic) return !isLibrary(word, words) && mayBeIn(word.text, args, pattern);
      if (isHere || takesOpenWords(words, at)) return false;
      return mayBecome(word, name, line) && goesOn(word, args, pattern);
    });
  });
}

/** `-lcurl` of a compiler. */
function isLibrary({ text }: ShellWord, [name]: readonly ShellWord[]): boolean {
  return (
    text.startsWith("-l") && /^(?:gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|ld)$/.test(name?.text ?? "")
  );
}

/** The words that an open word can become; `null`: only running would tell. */
export function spelled(word: ShellWord, { bash, environment }: Line): readonly ShellWord[] | null {
  const commands = bash.reach.runs.map(({ command }) => command);
  return spelledOut(word, commands, environment);
}

/** The name of the program that a pattern is about. */
interface Name {
  readonly text: string;
  /** Longer names are meant, too: `Bash(cu*)`. */
  readonly isPrefix: boolean;
}

function nameIn({ literals, endsAtWord, hasStar }: CommandPattern): Name {
  const [first = ""] = literals;
  const [program = ""] = first.trim().split(/\s+/);
  const isPrefix = hasStar && !endsAtWord && !/\s/.test(first);
  return { text: program.slice(program.lastIndexOf("/") + 1), isPrefix };
}

/** Whether a text names the program: by itself, or at a border inside it (`EXEC:curl,stderr`, `-Icurl`, `cu$(L)`). */
function mayBeIn(text: string, args: readonly ShellWord[], pattern: CommandPattern): boolean {
  const name = nameIn(pattern);
  const behind = args.map((word) => word.text);
  const isOpen = args.some(({ isStatic }) => !isStatic);
  const isMeant = (head: string, rest: readonly string[]): boolean =>
    matchesCommand(pattern, head) ||
    matchesCommand(pattern, [head, ...behind].join(" ")) ||
    (rest.length > 0 && matchesCommand(pattern, [head, ...rest, ...behind].join(" "))) ||
    (isOpen && name.text !== "" && mayMatchCommand(pattern, [literalWord(head), ...args]));
  const values = [
    text,
    text.slice(text.indexOf("=") + 1),
    text.slice(text.lastIndexOf("=") + 1),
  ].flatMap((one) => [one, one.slice(one.lastIndexOf("/") + 1)]);
  if (values.some((one) => isMeant(one, []))) return true;
  if (name.text === "") return false;
  // In prose, a name is no program; carried texts are looked at elsewhere.
  const [whole = ""] = text.startsWith("-") ? text.split(/\s/, 1) : /\s/.test(text) ? [] : [text];
  const isIn = (one: string): boolean => {
    const tokens = tokensOf(one);
    return tokens.some((token, at) =>
      headsOf(token, name.text).some(
        (head) =>
          (head.startsWith(name.text) || head.endsWith(name.text)) &&
          isMeant(head, tokens.slice(at + 1, at + mostTokens)),
      ),
    );
  };
  if (isIn(whole) || isIn(whole.replaceAll(/["'\\]/g, ""))) return true;
  // Programs have variables and globs of their own.
  const shape = whole.replaceAll(/\$(?:\([^()]*\)|\{[^{}]*\}|\w+)|\[[^\]]*\]|[*?]/g, open);
  return shape !== whole && fitsShape(shape, name, true) && goesOn(null, args, pattern);
}

/** Tokens of one word behind a name that are looked at. */
const mostTokens = 16;

/** The stretches of a text that may be names or paths. */
function tokensOf(text: string): string[] {
  return text.split(/[^\w./\0-]+/).filter((token) => token !== "");
}

/** The names that a token may be: itself, the last part of a path, and the value behind letters of an option. */
function headsOf(token: string, name: string): string[] {
  const [, letters = ""] = /^-([A-Za-z]+)/.exec(token) ?? [];
  const ends = Array.from(letters.slice(0, mostLetters), (_, at) => token.slice(at + 2)).filter(
    (end, at) => {
      // A short name ends many a word: `-func`, `-marm`.
      const isShort = name.length < 3 && end.length <= name.length;
      return end !== "" && (!isShort || at === 0 || /[A-Z]/.test(letters[at] ?? ""));
    },
  );
  const direct = token.startsWith(`-${open}`) ? [token.slice(1)] : [];
  return [token, ...ends, ...direct].flatMap((one) => [one, one.slice(one.lastIndexOf("/") + 1)]);
}

/** Letters of one bundle of options that are looked at. */
const mostLetters = 32;

/** Whether an open word, or a glob, may become the name or end in it behind a border. */
function mayBecome(word: ShellWord, name: Name, { bash }: Line): boolean {
  if (name.text === "") return false;
  if (!fitsShape(shapeOf(word, bash.reach), name, false)) return false;
  const isPath = word.isGlob && /^[\w./~*?@+][\w./~*?@+-]*$/.test(word.text);
  const pairs = isPath ? bash.pairsOf(word) : null;
  if (pairs === null) return true;
  const isName = (path: string): boolean =>
    name.isPrefix ? basename(path).startsWith(name.text) : basename(path) === name.text;
  return pairs.some(({ given, real }) => isName(given) || isName(real));
}

/** `needsLetters`: nothing but open text is no name. Behind a blank, that is so in any case. */
function fitsShape(shape: string, name: Name, needsLetters: boolean): boolean {
  return shape.split(/\s+/).some((part, at) =>
    tokensOf(part)
      .filter((token) => token.includes(open))
      .flatMap((token) => headsOf(token, name.text))
      .some((head) => {
        if (!head.includes(open)) return false;
        if (!/[\w.]/.test(head)) return at === 0 && !needsLetters;
        const pieces = head.split(open);
        const [lead = ""] = pieces;
        if (name.isPrefix && (lead.startsWith(name.text) || name.text.startsWith(lead)))
          return true;
        return matchesLiterals(pieces, name.text, false);
      }),
  );
}

/** Whether the words behind the program may be what the pattern wants there. */
function goesOn(
  word: ShellWord | null,
  args: readonly ShellWord[],
  pattern: CommandPattern,
): boolean {
  const [program = ""] = (pattern.literals[0] ?? "").trim().split(/\s+/);
  // Without quotes an open word may be several.
  const first = word?.canSplit === true ? unknownWords : literalWord(program);
  return mayMatchCommand(pattern, [first, ...args]) || mayMatchCommand(pattern, [first]);
}

/** Whether a word stands for files that `find` finds below the working directory: none is a program of the system. */
function isFoundHere(word: ShellWord, { words }: SimpleCommand, { bash }: Line): boolean {
  const [name, ...args] = words;
  if (name?.text !== "find" || word.isStatic || !word.text.includes("{}")) return false;
  const end = args.findIndex(({ text }) => /^[-(!]/.test(text));
  const starts = args.slice(0, end === -1 ? args.length : end);
  const areHere = starts.every(
    ({ isStatic, text }) => isStatic && /^(?![/~])(?!(?:.*\/)?\.\.(?:\/|$))/.test(text),
  );
  const follows = args.some(({ text }) => /^-(?:L|follow|files0-from)/.test(text));
  return areHere && !follows && !bash.leavesDirectory;
}
