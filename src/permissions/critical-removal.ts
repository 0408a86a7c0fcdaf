import { writtenWords } from "./bash/written-command.ts";
import { shownPart } from "./shown-part.ts";
import { literalWord, unknownWords, type ShellWord } from "./shell/shell-word.ts";
import { opaqueText } from "./shell/opaque.ts";
import type { Form } from "./bash/forms.ts";
import { handedOn } from "./bash/handed-on.ts";
import { fileUse } from "./bash/files/file-use.ts";
import { spelled, type Line } from "./bash/handed-program.ts";
import { operandsOf } from "./bash/files/operands.ts";
import type { BashView } from "./bash/view.ts";
import type { ViewedCall } from "./call.ts";
import type { PathPair, Rulebook } from "./policy.ts";
import { isCritical } from "./protected.ts";
import type { Finding } from "./stages.ts";

/** `rm` and `rmdir` of what nobody means to lose are always asked about, wherever the command stands. */
export function criticalRemoval({ bash }: ViewedCall, book: Rulebook): Finding | null {
  if (bash === null) return null;
  if (!bash.read.readable && mayRemove(bash)) {
    const reason = `It may remove files, and is ${opaqueText(bash.read.opaque)}. No rule and no mode allows that.`;
    return { verdict: "ask", reason };
  }
  const { ground, policy } = book;
  // A variable may have any value that the command gives to one.
  const assigned = bash.reach.runs
    .flatMap(({ command }) => command.assignments)
    .flatMap(({ value }) => (value?.isStatic === true ? (bash.pairsOf(value) ?? []) : []));
  const assignsHome = bash.reach.runs
    .flatMap(({ command }) => command.assignments)
    .some(({ value }) => /\$\{?(?:HOME|PWD|OLDPWD)\b/.test(value?.text ?? ""));
  const carried = bash.carried?.find(({ text }) => /(?<![\w-])rm\s+-\w*[rR]/.test(text));
  if (carried !== undefined) {
    const reason = `A text in ${shownPart(carried.part)} may remove files. No rule and no mode allows that.`;
    return { verdict: "ask", reason, part: carried.part };
  }
  const cwds = [...new Set([ground.cwd, policy.cwd])];
  const line = { bash, environment: ground.environment };
  const all = bash.reach.runs.flatMap(({ forms }) => forms.flatMap((form) => removals(form, line)));
  for (const words of all) {
    const [, ...args] = words;
    const isRecursive = args.some(({ text }) => /^-\w*[rRd]|^--(?:rec|dir)/.test(text));
    // A plain variable is the author's risk; whatever else cannot be told may be any tree.
    const mayBeTree = (word: ShellWord): boolean =>
      isRecursive &&
      (word.isStatic || word.hasGlob || word === unknownWords || word.text.includes("$("));
    const variablePlaces = (word: ShellWord): readonly PathPair[] => [
      ...assigned,
      ...(isRecursive && assignsHome ? unknownPlace : []),
      ...(/^"?\$\{?(?:OLD)?PWD\b/.test(word.text) ? [book.pair(ground.cwd)] : []),
    ];
    const critical = distinct(operandsOf(args)).find((word) => {
      if (word.isUnderVariable || (isRecursive && isWholePlace(word, cwds, bash))) return true;
      const pairs = bash.pairsOf(word) ?? (mayBeTree(word) ? unknownPlace : variablePlaces(word));
      return pairs
        .flatMap(({ given, real }) => [given, real])
        .some((path) => cwds.some((cwd) => isCritical(path, { cwd, home: ground.home })));
    });
    if (critical === undefined) continue;
    const part = writtenWords(words);
    const reason = `It would remove ${shownPart(writtenWords([critical]))}. No rule and no mode allows that.`;
    return { verdict: "ask", reason, part };
  }
  return null;
}

/** `*`, `./*`: all that is in a directory where the work is. */
function isWholePlace({ pattern }: ShellWord, cwds: readonly string[], bash: BashView): boolean {
  const [, directory] = /^((?:.*\/)?)[*?.]*[*?][*?.]*$/s.exec(pattern ?? "") ?? [];
  if (directory === undefined || /[*?\\]/.test(directory)) return false;
  const paths = bash.pathsOf(literalWord(directory === "" ? "." : directory)) ?? [];
  const [here, there, ...others] = paths;
  // `cd build && rm -rf *` happens there or not at all.
  const isLed = /^cd\s/.test(bash.command) && !/[;|\n]|(?<!&)&(?!&)|&&\s*cd\b/.test(bash.command);
  if (isLed && here !== undefined && there !== undefined && others.length === 0)
    return cwds.includes(there);
  return paths.some((path) => cwds.includes(path));
}

/** A tree that cannot be told may be any. */
const unknownPlace = [{ given: "/", real: "/" }];

/** The removals in a command: its own, and those that an unknown program may run. */
function removals({ words }: Form, line: Line): (readonly ShellWord[])[] {
  const [name] = words;
  const isRemoval = (word: ShellWord | undefined): boolean =>
    /(?:^|\/)rm(?:dir)?$/.test(word?.text ?? "");
  const mayRemove = ([first, ...args]: readonly ShellWord[]): boolean => {
    if (first?.isStatic !== false) return isRemoval(first);
    const words = spelled(first, line);
    // A word that only running tells is one if it is used like one.
    return words?.some(isRemoval) ?? args.some(({ text }) => /^-(?:rf|fr|r|R)$/.test(text));
  };
  if (isRemoval(name) || name?.isStatic === false) return [words];
  if (name?.text === "mv") return [[name, recursive, ...(fileUse({ words }).whole ?? [])]];
  if (name?.text === "find") return removedByFind(words);
  return (handedOn(words) ?? []).filter(mayRemove);
}

const recursive = literalWord("-r");

/** The places in which `find` looks for what it removes. Here is where one means it. */
function removedByFind([name, ...args]: readonly ShellWord[]): (readonly ShellWord[])[] {
  const first = args.findIndex(({ text }) => /^[-(!]/.test(text));
  const starts = args.slice(0, first === -1 ? args.length : first);
  const removes = args.some(
    ({ text }, at) =>
      text === "-delete" ||
      (/^-(?:exec|ok)/.test(text) && /(?:^|\/)rm$/.test(args[at + 1]?.text ?? "")),
  );
  const elsewhere = starts.filter(({ text }) => !/^(?:\.\/?)$/.test(text));
  return removes && name !== undefined && elsewhere.length > 0
    ? [[name, recursive, ...elsewhere]]
    : [];
}

/** Whether `rm` or `rmdir` stands anywhere in an opaque command. */
function mayRemove({ command, reach }: BashView): boolean {
  const names = reach.runs.flatMap(({ forms }) => forms.map(({ words }) => words[0]?.text));
  return (
    names.some((name) => name === "rm" || name === "rmdir") ||
    /(?<![\w-])rm(?:dir)?(?![\w-])/.test(command)
  );
}

/** The same word again says nothing new. */
function distinct(words: readonly ShellWord[]): ShellWord[] {
  const key = ({ text, pattern, belowHome, isUnderVariable }: ShellWord): string =>
    JSON.stringify([pattern, belowHome, isUnderVariable, text]);
  return [...new Map(words.map((word) => [key(word), word])).values()];
}
