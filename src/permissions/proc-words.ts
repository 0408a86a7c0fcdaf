import { posix } from "node:path";
import { isInside } from "../platform/files/is-inside.ts";
import { directoryChanges } from "./bash/directory-change.ts";
import type { BashView } from "./bash/view.ts";
import { writtenCommand } from "./bash/written-command.ts";
import { matchesSegment } from "./rules/path-rule.ts";
import { literalWord, type ShellWord } from "./shell/shell-word.ts";

/**
 * The part of a command that may look at the environment of another process, which holds keys: a word below `/proc` that only
 * running would tell, a change of directory to it, and `ps` that shows environments. Paths that are known are looked at elsewhere.
 */
export function mayReadEnvironment(bash: BashView): string | null {
  const found = bash.reach.runs.find(
    ({ command, forms }) =>
      forms.some(({ words }) => showsEnvironments(words)) ||
      [...command.words, ...command.assignments.flatMap(({ value }) => value ?? [])].some((word) =>
        mayBeBelowProc(word, bash),
      ) ||
      command.assignments.some(({ value }) => isProc(value?.isStatic === true ? value.text : "")) ||
      directoryChanges(forms).some(
        (change) => change !== "unknown" && bash.pathsOf(change.to)?.some(isProc) === true,
      ),
  );
  return found === undefined ? null : writtenCommand(found.command);
}

function isProc(path: string): boolean {
  return isInside("/proc", path);
}

/** Whether a word that is not static may stand for a path below `/proc`. */
function mayBeBelowProc({ isStatic, pieces, isGlob }: ShellWord, bash: BashView): boolean {
  if (isStatic || pieces[0] === null) return false;
  const shape = pieces.map((piece) => piece ?? "*").join("");
  // Up from somewhere, or from home, it may be that one.
  if (/^~|\.\./.test(shape) && /\/proc\//.test(shape)) return true;
  const front = pieces[0] ?? "";
  const end = front.lastIndexOf("/") + 1;
  const rest = shape.slice(end);
  const directories = bash.pathsOf(literalWord(end === 0 ? "." : front.slice(0, end))) ?? [];
  return directories.some((directory) => {
    const [, first = "", ...others] = posix.join(directory, rest).split("/");
    return matchesSegment(first, "proc") && (others.length > 0 || !isGlob);
  });
}

/** Options of `ps` in the style of Unix, where `e` means every process. */
const unixOptions = /^-[AacdefFHjlLMNTwyZ]+$|^--/;
const takesValue = /^(?:-[A-Za-z]*[oOpCuUgGtqskn]|[A-Za-z]*[oOktpUq]|--[a-z-]+)$/;

/** `ps e`, `ps auxe`, `ps -auxe`, `ps -E`. */
function showsEnvironments([name, ...args]: readonly ShellWord[]): boolean {
  if (!/(?:^|\/)ps$/.test(name?.text ?? "")) return false;
  return args.some(({ text, canSplit }, at) => {
    if (/environ/i.test(text)) return true;
    if (takesValue.test(args[at - 1]?.text ?? "") || unixOptions.test(text)) return false;
    if (canSplit && !/^\$\$|^\$\{?\w*pid\b/i.test(text)) return true;
    return /^[A-Za-z]*[eE][A-Za-z]*$/.test(text) || /^-(?:E|(?=\w*[ux])\w*e)/.test(text);
  });
}
