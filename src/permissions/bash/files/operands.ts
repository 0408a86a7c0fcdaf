import { literalWord, type ShellWord } from "../../shell/shell-word.ts";

/**
 * Words that may be operands, for rules that forbid: all that are no flags, everything behind `--`, a flag with a slash in
 * it, and the values that flags carry: `--file=x`, `-tx`, `@x`.
 */
export function operandsOf(args: readonly ShellWord[]): ShellWord[] {
  const end = args.findIndex(({ isStatic, text }) => isStatic && text === "--");
  return args.flatMap((word, at) => {
    if (at === end) return [];
    if (!word.isStatic || (end !== -1 && at > end)) return [word];
    const value = /^(?:--?[\w-]+=|-[A-Za-z](?=[/~.])|@)(.+)$/s.exec(word.text)?.[1];
    const carried = value === undefined ? [] : [literalWord(value)];
    const isFlag = word.text.startsWith("-") && word.text !== "-";
    return isFlag && !word.text.includes("/") ? carried : [word, ...carried];
  });
}
