import { literalWord, unknownWords, type ShellWord } from "../../shell/shell-word.ts";
import { percentDecoded } from "../../rules/percent-decoded.ts";
import { isChanger, type Form } from "../forms.ts";
import { isInTable } from "../look/programs.ts";
import { isLook } from "../look/table-looks.ts";

/** Programs to which every argument is data. */
const talkers: ReadonlySet<string> = new Set(
  "echo printf : true false kill exit sleep wait seq expr break continue".split(" "),
);

/** Programs of which it is known for certain which arguments they read and write. */
const certain: ReadonlySet<string> = new Set(
  "git cp mv ln install mkdir touch rm rmdir unlink chmod chown tee cd test [ find".split(" "),
);

export function isTalker(program: string): boolean {
  return talkers.has(program);
}

export function isCertain(program: string): boolean {
  return certain.has(program);
}

/** Words in one command that are looked at. */
const mostWords = 200;

/** A word that a program which is not known is given by some part of a line. */
export interface Mention {
  readonly word: ShellWord;
  readonly part: string;
  /** Rather the name of a task than a file: `build` in `npm run build`. */
  readonly isTask: boolean;
  /** The path that it has as a name is known. */
  readonly isPlaced: boolean;
}

/** Arguments that may be names of files, whatever the program does with them: of all programs that are not known. */
export function mentionedWords({ words: [name, ...args] }: Pick<Form, "words">): ShellWord[] {
  if (name?.isStatic !== true || talkers.has(name.text) || certain.has(name.text)) return [];
  if (isLook(name.text, args)) return [];
  const own = ownArguments(name.text, args);
  // More words are not looked at.
  return own.length > mostWords || own.includes(unknownWords) ? [unknownWords] : [...own];
}

/** The names of files in a word: itself, and what stands behind `=`, `@`, `:` or the letter of an option. */
export function fileNames(word: ShellWord): ShellWord[] {
  if (!word.isStatic) return [word];
  const inside = mentionedParts(word.text).map(literalWord);
  return word.text.startsWith("-") && !word.text.includes("/") ? inside : [word, ...inside];
}

/** The names of files among the arguments of a program that is not known. A word of which nothing is known stands for any file. */
export function mentionedFiles(form: Pick<Form, "words">): ShellWord[] {
  return mentionedWords(form).flatMap(fileNames);
}

/** Arguments of a program without the command that it runs, which is looked at by itself. */
export function ownArguments(name: string, args: readonly ShellWord[]): readonly ShellWord[] {
  const inner =
    (isChanger(name) && !otherRoots.has(name)) || /^\d/.test(name)
      ? args.findIndex(({ text }) => isKnownProgram(text))
      : -1;
  return inner === -1 ? args : args.slice(0, inner);
}

/** Programs that run others where paths lead elsewhere. */
const otherRoots: ReadonlySet<string> = new Set(
  "chroot unshare nsenter bwrap firejail systemd-run".split(" "),
);

function isKnownProgram(name: string): boolean {
  return isTalker(name) || isCertain(name) || isInTable(name);
}

/** The parts of a word behind `=`, `@`, `:` or the letter of an option, and the path of a URL. */
export function mentionedParts(text: string): string[] {
  const [, value] = /^-[A-Za-z](.+)$/s.exec(text) ?? [];
  const [, inUrl] = /^file:\/\/[^/]*(\/.*)$/is.exec(text) ?? [];
  if (inUrl !== undefined) return [inUrl, percentDecoded(inUrl)];
  const behind = [...text.matchAll(/[=@:]/g)].slice(0, 4).map(({ index }) => text.slice(index + 1));
  return [...behind, ...(value === undefined ? [] : [value])].filter((part) => part !== "");
}
