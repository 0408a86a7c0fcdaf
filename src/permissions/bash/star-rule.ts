import { literalWord, unknownWords, type ShellWord } from "../shell/shell-word.ts";
import { actingOptions, below, type ActingOptions } from "./acting-options.ts";
import { gitArguments, type GitArguments } from "./git/git-arguments.ts";
import { gitCommand } from "./git/git-command.ts";
import { transferringCommands } from "./git/git-facts.ts";
import { isGitCommand } from "./git/git-options.ts";
import { runsAnything } from "./git/git-use.ts";
import { open, shapeOf } from "./open-shape.ts";
import type { CommandPattern } from "./pattern.ts";

/*
 * A star in a rule stands for arguments that nobody has seen. It does not stand for arguments that have the program run another
 * one, or write a file, when the program is known to do neither without them: those need a rule for the whole text.
 */

/** Whether a rule with a star may cover a command. */
export function mayUseStars(pattern: CommandPattern, words: readonly ShellWord[]): boolean {
  const [program, ...args] = words;
  const name = /[^/]*$/.exec(program?.text ?? "")?.[0] ?? "";
  // They run whatever their arguments say.
  if (/^(?:watch|setsid|ionice|flock)$/.test(name)) return false;
  if (name === "find") return args.every(({ isStatic, text }) => isStatic && !acting.test(text));
  if (name === "git") return !gitActs(pattern, args);
  const known = actingOptions.get(name);
  return known === undefined || !acts(known, args);
}

const acting = /^-(?:exec|execdir|ok|okdir|delete|fprint|fls)/;

/** The files that git writes because an option names them. A rule must allow each, as for a redirection. */
export function outputsOf([program, ...args]: readonly ShellWord[]): readonly ShellWord[] {
  const command = /(?:^|\/)git$/.test(program?.text ?? "") ? gitCommand(args) : null;
  if (command === null || !writers.has(command.name)) return [];
  const given = gitArguments(command.name, command.args, "all");
  if (command.name === "config") return configFiles(given?.options ?? []);
  return (given?.options ?? []).flatMap(({ name, value }) =>
    output.test(name) && value !== null ? [value] : [],
  );
}

/** The files that a program reads because an option names them, though it shows none otherwise. */
export function inputsOf([program, ...args]: readonly ShellWord[]): readonly ShellWord[] {
  const name = /[^/]*$/.exec(program?.text ?? "")?.[0] ?? "";
  if (/^(?:du|wc|sort)$/.test(name)) return listsOf(args);
  const command = name === "git" ? gitCommand(args) : null;
  if (command === null) return [];
  const given = gitArguments(command.name, command.args, "all");
  if (given === null) return [];
  const letters = fileLetters[command.name] ?? "";
  const files = given.options.flatMap(({ name: option, value }) => {
    const isFile = input.test(option) || (option.length === 2 && letters.includes(option.slice(1)));
    return isFile && value !== null && value.text !== "-" ? [value] : [];
  });
  const isForeign = given.options.some(({ name: option }) => option === "--no-index");
  // Git compares, stores and merges files outside its work tree too.
  const outside = [...given.operands, ...given.paths].filter(({ text }) => outwards.test(text));
  return isForeign ? [...files, ...given.operands, ...given.paths] : [...files, ...outside];
}

const outwards = /^(?:[/~]|(?:.*\/)?\.\.(?:\/|$))/s;

const input =
  /^--(?:file|template|pathspec-from-file|contents|ignore-revs-file|exclude-from|add-file)$/;
const fileLetters: Readonly<Record<string, string>> = {
  commit: "Ft",
  merge: "F",
  tag: "F",
  notes: "F",
  blame: "S",
  grep: "f",
  "ls-files": "X",
};

/** The values of `--files0-from`. */
function listsOf(args: readonly ShellWord[]): ShellWord[] {
  return args.flatMap(({ isStatic, text }, at) => {
    const option = isStatic ? /^--fi[a-z0-9-]*(?:=(.*))?$/s.exec(text) : null;
    if (option === null) return [];
    const [, value] = option;
    return value === undefined ? args.slice(at + 1, at + 2) : [literalWord(value)];
  });
}

/** The file that `git config` changes, unless it only shows something of the folder. */
function configFiles(options: GitArguments["options"]): readonly ShellWord[] {
  const isShown = options.some(({ name }) => /^(?:-l|--list|--get\S*)$/.test(name));
  return options.flatMap(({ name, value }) =>
    /^(?:-f|--file)$/.test(name) && value !== null && !(isShown && below.test(value.text))
      ? [value]
      : [],
  );
}

const output = /^(?:-o|--output|--output-directory)$/;
const writers = new Set(
  "log show diff reflog whatchanged diff-tree diff-index diff-files range-diff stash format-patch archive config".split(
    " ",
  ),
);

/** A command that is in no list counts as harmless if the rule names it: `git flow *`. */
function gitActs({ literals: [named = ""] }: CommandPattern, args: readonly ShellWord[]): boolean {
  const command = gitCommand(args);
  if (command === null) return true;
  const { name, before } = command;
  if (before.length === 0 && !isGitCommand(name)) return !named.split(" ").includes(name);
  // Behind `--` too, `ext::program` is a repository.
  const isHelper = ({ text }: ShellWord): boolean => text.includes("::");
  return runsAnything(args) || (transferringCommands.has(name) && command.args.some(isHelper));
}

/** Whether some word is, or may turn out to be, an option that acts. */
function acts(known: ActingOptions, args: readonly ShellWord[]): boolean {
  const end = args.findIndex(({ isStatic, text }) => isStatic && text === "--");
  const options = end === -1 ? args : args.slice(0, end);
  return options.some((word, at) => {
    if (word === unknownWords && known.runsCode === true) return false;
    const shape = word.isStatic ? word.text : shapeOf(word, { runs: [] });
    if (known.words?.test(shape.replaceAll(open, ":")) === true) return true;
    if (!word.isStatic) return (word.pieces[0] ?? "-").startsWith("-");
    if (leaves(known, word.text, options[at + 1])) return true;
    const isLetters = at === 0 && known.beginsWithLetters === true && !word.text.startsWith("-");
    const text = isLetters ? `-${word.text}` : word.text;
    return /^-./s.test(text) && isActing(known, { text, isLetters, next: options[at + 1] });
  });
}

/** Whether an option, with its value or the next word, names a place outside. */
function leaves(
  { mayLeave, unless = {} }: ActingOptions,
  text: string,
  next: ShellWord | undefined,
): boolean {
  const [, name = "", value] = /^(-[^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (mayLeave === undefined || name === "" || mayLeave.test(name) || name in unless) return false;
  const named = value ?? (next?.text.startsWith("-") === true ? "" : (next?.text ?? ""));
  return !below.test(named);
}

interface Option {
  readonly text: string;
  /** Values follow all letters: none of them stands in the word. */
  readonly isLetters: boolean;
  readonly next: ShellWord | undefined;
}

function isActing(known: ActingOptions, { text, isLetters, next }: Option): boolean {
  const { valued = "", unless = {}, areWhole = false, takesOneDash = false } = known;
  const names = [...known.acts.split(" "), ...Object.keys(unless)];
  const isHarmless = (name: string, value: ShellWord | undefined): boolean =>
    value?.isStatic === true && unless[name]?.test(value.text) === true;
  if (
    takesOneDash &&
    /^-[^-][^=]/.test(text) &&
    isActing(known, { text: `-${text}`, isLetters, next })
  )
    return true;
  if (areWhole || text.startsWith("--")) {
    const [, given = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    const shape = areWhole ? given.replace(/^--/, "-") : given;
    const attached = value === undefined ? next : literalWord(value);
    return names.some((one) => {
      const name = areWhole ? one.replace(/^--/, "-") : one;
      return (areWhole ? name === shape : name.startsWith(shape)) && !isHarmless(one, attached);
    });
  }
  for (const [at, letter] of text.slice(1).split("").entries()) {
    const rest = text.slice(at + 2);
    if (names.includes(`-${letter}`))
      return !isHarmless(`-${letter}`, rest === "" ? next : literalWord(rest));
    if (valued.includes(letter) && !isLetters) return false;
  }
  return false;
}
