import type { ShellWord } from "../shell/shell-word.ts";
import type { Redirection, SimpleCommand } from "../shell/shell.ts";
import { shellQuote } from "../../platform/shell-quote.ts";

/** A command as a person could type it again: bash reads the same words from it. */
export function writtenCommand({ assignments, words }: SimpleCommand): string {
  const set = assignments.map(
    ({ name, value }) => `${name}=${value === null ? "(…)" : writtenWord(value)}`,
  );
  return [...set, ...(words.length === 0 ? [] : [writtenWords(words)])].join(" ");
}

export function writtenWords(words: readonly ShellWord[]): string {
  return words
    .map((word, at) => {
      // In the first place it would set a variable.
      const sets = at === 0 && word.isStatic && word.text.includes("=");
      return sets ? quoted(word.text) : writtenWord(word);
    })
    .join(" ");
}

/** `> 'a b'` */
export function writtenRedirection({ operator, target }: Redirection): string {
  return `${operator} ${writtenWord(target)}`;
}

/** Words that are not static stand as they were written, with their quotes. */
function writtenWord({ text, isStatic, belowHome }: ShellWord): string {
  if (!isStatic || plain.test(text)) return text;
  if (belowHome === "") return "~";
  // The slash behind `~` must stand without quotes.
  return belowHome === null ? quoted(text) : `~/${writtenRest(belowHome.slice(1))}`;
}

function writtenRest(text: string): string {
  return text === "" || plain.test(text) ? text : quoted(text);
}

const plain = /^(?:[\w@%+=:,./-]+|\{\})$/;

/** Control characters, which no line shows, as `$'…'`. */
function quoted(text: string): string {
  if (!/\p{Cc}/u.test(text)) return shellQuote(text);
  const escaped = text
    .replaceAll(/[\\']/g, String.raw`\$&`)
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\t", String.raw`\t`)
    .replaceAll(
      /\p{Cc}/gu,
      (one) => `\\x${(one.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`,
    );
  return `$'${escaped}'`;
}
