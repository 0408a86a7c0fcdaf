import { literalWord, type ShellWord } from "../../shell/shell-word.ts";
import type { SimpleCommand } from "../../shell/shell.ts";
import type { Ground } from "../../ground.ts";
import type { PathPair } from "../../policy.ts";
import type { Form } from "../forms.ts";
import { isLook } from "../look/table-looks.ts";
import { writtenCommand } from "../written-command.ts";
import { gitArguments } from "../git/git-arguments.ts";
import { gitCommand } from "../git/git-command.ts";
import { isCertain, isTalker, mentionedParts, ownArguments } from "./mentioned-files.ts";
import { pathByText, wordPaths, type PathContext } from "./word-paths.ts";

/** A file that some part of a line may write, because its name stands there. */
export interface NamedFile {
  readonly pair: PathPair;
  readonly part: string;
  /** A word without a slash that is no file yet, or a directory: it may be no name at all. */
  readonly isPlain: boolean;
}

/** Files that some part may write because their names stand in it. `assigned`: values that the line gives to variables. */
export function namedFiles(
  context: PathContext,
  assigned: readonly ShellWord[],
  ground: Ground,
): NamedFile[] {
  // A budget of its own: words that are no names must not use up the paths that others need.
  const pathsOf = wordPaths(context, ground);
  return context.runs.flatMap(({ command, forms }) => {
    const words = [
      ...forms.flatMap(writableWords),
      ...writableValues(command),
      ...(forms.some(hasOpenNames) ? assigned : []),
    ];
    const part = writtenCommand(command);
    const distinct = new Map(
      words.map((word) => [`${word.text}\0${word.belowHome ?? ""}\0${word.isStatic}`, word]),
    );
    return [...distinct.values()].flatMap((word) =>
      (pathsOf(word) ?? pathByText(word, ground)).map((given) => {
        const real = ground.realPath(given);
        const isPlain = !word.text.includes("/") && !ground.isFile(real);
        return { pair: { given, real }, part, isPlain };
      }),
    );
  });
}

/**
 * Words that may be names of files to write, whether such files exist or not. Options that write are an open set, so every
 * argument counts, except for programs of which it is known what they write.
 */
function writableWords({ words: [name, ...args] }: Pick<Form, "words">): ShellWord[] {
  if (name?.isStatic !== true || isTalker(name.text)) return [];
  const given = argumentsOf(name.text, args);
  const scripts = scripted.test(name.text) ? given.flatMap(scriptFiles) : [];
  return [
    ...scripts,
    ...given.flatMap((word, at) => {
      const before = given[at - 1]?.text ?? "";
      if (excluding.test(word.text) || isExcluded(name.text, before)) return [];
      if (scripts.length === 0 && isSubstitution(name.text, word)) return [];
      if (isTaskOf(name.text, word, before)) return [];
      return wordAndParts(word);
    }),
  ];
}

/** Whether a variable stands among the words that may be names. */
function hasOpenNames({ words: [name, ...args] }: Pick<Form, "words">): boolean {
  if (name?.isStatic !== true || isTalker(name.text)) return false;
  return argumentsOf(name.text, args).some(({ isStatic }) => !isStatic);
}

/** Values of variables that are set in front of a command: `GIT_TRACE=file`. */
function writableValues({ words, assignments }: SimpleCommand): ShellWord[] {
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
  return ownArguments(name, args);
}

/** A word and its parts. An open word counts with the text behind its last variable. */
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
  return (
    /^--(?:exclude|ignore|skip)[\w-]*$/.test(option) || (name.startsWith("fd") && option === "-E")
  );
}

/** Programs whose plain words are commands and tasks: `npm run build`. */
const taskRunners: ReadonlySet<string> = new Set(
  "npm pnpm yarn bun npx make just task cargo go gradle mvn deno nx turbo rake composer poetry uv tox docker kubectl gh".split(
    " ",
  ),
);

/** Whether a word names something that its program leaves out: `--exclude=.git`. */
export function isLeftOut(name: string, { text }: ShellWord, before: string): boolean {
  const isList = /^--[\w-]*-(?:from|file)(?:=|$)/;
  if (isList.test(text) || isList.test(before)) return false;
  return excluding.test(text) || isExcluded(name, before);
}

/** Whether a word is the name of a task for its program. */
export function isTaskOf(name: string, word: ShellWord, before: string): boolean {
  return taskRunners.has(name) && isTask(word, before);
}

function isTask({ isStatic, text }: ShellWord, before: string): boolean {
  return isStatic && /^[\w:-]+$/.test(text) && !before.startsWith("-");
}

/** `s/x/y/` */
function isSubstitution(name: string, { text }: ShellWord): boolean {
  return /^g?sed$/.test(name) && /^[\d,$]*s([/|#,@]).*\1g?$/s.test(text);
}

/** Programs with scripts among their arguments that write files: `w file`, `> "file"`. */
const scripted = /^(?:g?sed|[gmn]?awk|n?vi|g?vim|nvim|ex|view)$/;

/** Files that a script of `sed` or `vim` (`w file`), or `awk` (`> "file"`) names. */
function scriptFiles({ text }: ShellWord): ShellWord[] {
  const written = [...text.matchAll(/[wW]!?[ \t]*(?=(\S[^\n]*))/g)].map(([, rest = ""]) => rest);
  const quoted = [...text.matchAll(/"([^"\n]+)"/g)].map(([, inner = ""]) => inner);
  return [...written, ...quoted].slice(0, mostNames).map(literalWord);
}

/** Names in one script that are looked at. */
const mostNames = 64;
