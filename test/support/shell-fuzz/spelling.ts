import type { Random } from "./random.ts";

/** The same word as bash reads it, written in one of the many ways that quote it. */
export function spell(word: string, random: Random): string {
  if (word === "") return random.pick(["''", '""']);
  return random.pick(spellings)(word, random);
}

const spellings: readonly ((word: string, random: Random) => string)[] = [
  (word) => singleQuoted(word),
  (word) => doubleQuoted(word),
  (word) => Array.from(word).map(backslashed).join(""),
  (word) => ansiQuoted(word, (code) => `\\x${code.toString(16).padStart(2, "0")}`),
  (word) => ansiQuoted(word, (code) => `\\${code.toString(8).padStart(3, "0")}`),
  (word) => ansiQuoted(word, (code) => `\\u${code.toString(16).padStart(4, "0")}`),
  (word, random) => split(word, random, (head, tail) => `${bare(head)}${singleQuoted(tail)}`),
  (word, random) => split(word, random, (head, tail) => `${doubleQuoted(head)}${bare(tail)}`),
  (word, random) => split(word, random, (head, tail) => `${bare(head)}\\\n${bare(tail)}`),
  (word, random) => split(word, random, (head, tail) => `${bare(head)}''${bare(tail)}`),
  (word, random) => split(word, random, (head, tail) => `${bare(head)}$""${bare(tail)}`),
  (word, random) =>
    split(
      word,
      random,
      (head, tail) =>
        `${bare(head)}${ansiQuoted(tail, (code) => `\\x${code.toString(16).padStart(2, "0")}`)}`,
    ),
];

export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function doubleQuoted(text: string): string {
  return `"${text.replaceAll(/[\\"$`]/g, "\\$&")}"`;
}

/** As it is where that is the same word, else quoted. */
export function bare(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : text === "" ? "" : singleQuoted(text);
}

function backslashed(character: string): string {
  return character === "\n" ? "'\n'" : `\\${character}`;
}

function ansiQuoted(word: string, escape: (code: number) => string): string {
  return `$'${Array.from(word)
    .map((character) => escape(character.codePointAt(0) ?? 0))
    .join("")}'`;
}

function split(word: string, random: Random, join: (head: string, tail: string) => string): string {
  const at = random.below(word.length);
  return join(word.slice(0, at), word.slice(at));
}
