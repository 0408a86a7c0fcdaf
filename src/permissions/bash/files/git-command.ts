import type { ShellWord } from "../../../shell/shell-word.ts";

/** Options in front of the command that take the next word. */
const withValue = new Set(
  "-c -C --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source".split(
    " ",
  ),
);

/** The command of git and its arguments; `null`: only running would tell. */
export function gitCommand(
  args: readonly ShellWord[],
): { readonly name: string; readonly args: readonly ShellWord[] } | null {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word?.isStatic !== true) return null;
    if (!word.text.startsWith("-")) return { name: word.text, args: args.slice(at + 1) };
    if (withValue.has(word.text)) at += 1;
  }
  return { name: "", args: [] };
}
