import { literalWord, unknownWords, type ShellWord } from "../../../shell/shell-word.ts";
import { hasKnownFiles } from "./file-use.ts";
import type { Form } from "../forms.ts";

/** Programs to which every argument is data. */
const talkers: ReadonlySet<string> = new Set(["echo", "printf", ":", "true", "false", "kill"]);

export function isTalker(program: string): boolean {
  return talkers.has(program);
}

/** Words in one command that are looked at. */
const mostWords = 200;

/**
 * Arguments that may be names of files, whatever the program is: whole words, and what stands behind `=`, `@`, `:` or the letter
 * of an option. Of programs whose files are known, only the latter.
 */
export function mentionedFiles({ words: [name, ...args] }: Pick<Form, "words">): ShellWord[] {
  if (name?.isStatic !== true || talkers.has(name.text)) return [];
  const isKnown = hasKnownFiles(name.text);
  // More words are not looked at: they may be any files.
  if (args.length > mostWords) return [unknownWords];
  return args.flatMap((word) => {
    if (!word.isStatic) return word.pattern === null || isKnown ? [] : [word];
    const inside = partsOf(word.text).map(literalWord);
    const isFlag = word.text.startsWith("-") && !word.text.includes("/");
    return isKnown || isFlag ? inside : [word, ...inside];
  });
}

function partsOf(text: string): string[] {
  const [, value] = /^-[A-Za-z](.+)$/s.exec(text) ?? [];
  const behind = [...text.matchAll(/[=@:]/g)].slice(0, 4).map(({ index }) => text.slice(index + 1));
  return [...behind, ...(value === undefined ? [] : [value])].filter((part) => part !== "");
}
