import type { ShellWord } from "../../shell/shell-word.ts";
import { isHarmlessSed } from "./sed-script.ts";

const commands = new Set(["mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed"]);

/**
 * Whether a command only changes files that edits may change: with every path known and `mayWrite` it. Values of flags count
 * as paths, because some are.
 */
export function isAcceptedEdit(
  [name, ...args]: readonly ShellWord[],
  mayWrite: (word: ShellWord) => boolean,
): boolean {
  if (name?.isStatic !== true || !commands.has(name.text)) return false;
  if (!args.every(({ isStatic }) => isStatic)) return false;
  if (name.text === "sed") return isAcceptedSed(args, mayWrite);
  return args.flatMap(pathsIn).every(mayWrite);
}

function pathsIn(word: ShellWord): ShellWord[] {
  if (!word.text.startsWith("-") || word.text === "-") return [word];
  const value = /^(?:--[\w-]+=|-[A-Za-z]*t)(.+)$/s.exec(word.text)?.[1];
  return value === undefined ? [] : [{ ...word, text: value, pieces: [value] }];
}

function isAcceptedSed(
  args: readonly ShellWord[],
  mayWrite: (word: ShellWord) => boolean,
): boolean {
  const flags = args.filter(({ text }) => text.startsWith("-") && text !== "-");
  // A suffix for copies may lead elsewhere.
  if (
    !flags.every(({ text }) =>
      /^-[nErsui]+$|^--(?:quiet|silent|regexp-extended|in-place)$/.test(text),
    )
  )
    return false;
  if (flags.some(({ text }) => /^-[^-]*i./.test(text))) return false;
  const [script, ...files] = args.filter((word) => !flags.includes(word));
  return script !== undefined && isHarmlessSed(script.text) && files.every(mayWrite);
}
