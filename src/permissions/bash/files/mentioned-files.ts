import { literalWord, unknownWords, type ShellWord } from "../../shell/shell-word.ts";
import type { Form } from "../forms.ts";
import { isLook } from "../look/table-looks.ts";

/** Programs to which every argument is data. */
const talkers: ReadonlySet<string> = new Set(["echo", "printf", ":", "true", "false", "kill"]);

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

/**
 * Arguments that may be names of files, whatever the program does with them: whole words, and what stands behind `=`, `@`, `:` or
 * the letter of an option. A word of which nothing is known stands for any file.
 */
export function mentionedFiles({ words: [name, ...args] }: Pick<Form, "words">): ShellWord[] {
  if (name?.isStatic !== true || talkers.has(name.text) || certain.has(name.text)) return [];
  if (isLook(name.text, args)) return [];
  // More words are not looked at.
  if (args.length > mostWords || args.includes(unknownWords)) return [unknownWords];
  return args.flatMap((word) => {
    if (!word.isStatic) return word.pattern === null ? [] : [word];
    const inside = mentionedParts(word.text).map(literalWord);
    return word.text.startsWith("-") && !word.text.includes("/") ? inside : [word, ...inside];
  });
}

/** The parts of a word behind `=`, `@`, `:` or the letter of an option, and the path of a URL. */
export function mentionedParts(text: string): string[] {
  const [, value] = /^-[A-Za-z](.+)$/s.exec(text) ?? [];
  const [, inUrl] = /^file:\/\/[^/]*(\/.*)$/is.exec(text) ?? [];
  if (inUrl !== undefined) return [inUrl, decoded(inUrl)];
  const behind = [...text.matchAll(/[=@:]/g)].slice(0, 4).map(({ index }) => text.slice(index + 1));
  return [...behind, ...(value === undefined ? [] : [value])].filter((part) => part !== "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
