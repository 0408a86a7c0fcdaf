import { literalWord, type ShellWord } from "../../shell/shell-word.ts";
import type { SimpleCommand } from "../../shell/shell.ts";
import { isChanger, type Form } from "../forms.ts";
import { isInTable } from "../look/programs.ts";
import { isLook } from "../look/table-looks.ts";
import { gitArguments } from "./git-arguments.ts";
import { gitCommand } from "./git-command.ts";
import { isCertain, isTalker, mentionedParts } from "./mentioned-files.ts";

/**
 * Words that may be names of files to write, whether such files exist or not. Options that write are an open set, so every
 * argument counts, except for programs of which it is known what they write.
 */
export function writableWords({ words: [name, ...args] }: Pick<Form, "words">): ShellWord[] {
  if (name?.isStatic !== true || isTalker(name.text)) return [];
  const given = argumentsOf(name.text, args);
  const scripts = /^g?sed$|awk$/.test(name.text) ? given.flatMap(scriptFiles) : [];
  return [
    ...scripts,
    ...given.flatMap((word, at) => {
      const before = given[at - 1]?.text ?? "";
      if (excluding.test(word.text) || isExcluded(name.text, before)) return [];
      if (scripts.length === 0 && isSubstitution(name.text, word)) return [];
      if (taskRunners.has(name.text) && isTask(word, before)) return [];
      return wordAndParts(word);
    }),
  ];
}

/** Whether a variable stands among the words that may be names. */
export function hasOpenNames({ words: [name, ...args] }: Pick<Form, "words">): boolean {
  if (name?.isStatic !== true || isTalker(name.text)) return false;
  return argumentsOf(name.text, args).some(({ isStatic }) => !isStatic);
}

/** Values of variables that are set in front of a command: `GIT_TRACE=file`. */
export function writableValues({ words, assignments }: SimpleCommand): ShellWord[] {
  const [name, ...args] = words;
  if (name === undefined || isTalker(name.text) || isLook(name.text, args)) return [];
  return assignments.flatMap(({ name: variable, value }) =>
    value === null || variable === "PATH" ? [] : wordAndParts(value),
  );
}

/** Arguments that are not known to be something else than files to write. */
function argumentsOf(name: string, args: readonly ShellWord[]): readonly ShellWord[] {
  if (name === "git") {
    const command = gitCommand(args);
    const isKnown = command !== null && gitArguments(command.name, command.args, "all") !== null;
    return isKnown ? [] : (command?.args ?? args);
  }
  if (isCertain(name) || isLook(name, args)) return [];
  // The command that a wrapper runs is looked at by itself.
  const inner =
    isChanger(name) || /^\d/.test(name) ? args.findIndex(({ text }) => isKnownProgram(text)) : -1;
  return inner === -1 ? args : args.slice(0, inner);
}

function isKnownProgram(name: string): boolean {
  return isTalker(name) || isCertain(name) || isInTable(name);
}

/** Of a word that is open, what stands behind the last variable. */
function wordAndParts(word: ShellWord): ShellWord[] {
  if (word.isStatic) {
    const parts = [...mentionedParts(word.text), ...behindLetters(word.text)].map(literalWord);
    return word.text.startsWith("-") && !word.text.includes("/") ? parts : [word, ...parts];
  }
  if (word.pattern !== null || word.belowHome !== null) return [word];
  const [, tail] = /^\/+([^/].*)$/s.exec(word.pieces.at(-1) ?? "") ?? [];
  return tail === undefined ? [] : [literalWord(tail)];
}

/** `-qPdirectory`: the value may begin behind each of the letters. */
function behindLetters(text: string): string[] {
  const [, letters = ""] = /^-([A-Za-z]{1,6})/.exec(text) ?? [];
  return Array.from(letters, (_, at) => text.slice(at + 2)).filter((rest) => rest !== "");
}

/** Options whose values are left out of something. */
const excluding = /^--(?:no-)?(?:exclude|ignore|skip)[\w-]*=/;

function isExcluded(name: string, option: string): boolean {
  return /^--(?:exclude|ignore|skip)[\w-]*$/.test(option) || (/^fd/.test(name) && option === "-E");
}

/** Programs whose plain words are commands and tasks: `npm run build`. */
const taskRunners: ReadonlySet<string> = new Set(
  "npm pnpm yarn bun npx make just task cargo go gradle mvn deno nx turbo rake composer poetry uv tox docker kubectl gh".split(
    " ",
  ),
);

function isTask({ isStatic, text }: ShellWord, before: string): boolean {
  return isStatic && /^[\w:-]+$/.test(text) && !before.startsWith("-");
}

/** `s/x/y/` */
function isSubstitution(name: string, { text }: ShellWord): boolean {
  return /^g?sed$/.test(name) && /^[\d,$]*s([/|#,@]).*\1g?$/s.test(text);
}

/** Files that a script of `sed` (`w file`) or `awk` (`> "file"`) names. */
function scriptFiles({ text }: ShellWord): ShellWord[] {
  const written = [...text.matchAll(/[wW][ \t]*(?=(\S[^\n]*))/g)].map(([, rest = ""]) => rest);
  const quoted = [...text.matchAll(/"([^"\n]+)"/g)].map(([, inner = ""]) => inner);
  return [...written, ...quoted].slice(0, mostNames).map(literalWord);
}

/** Names in one script that are looked at. */
const mostNames = 64;
