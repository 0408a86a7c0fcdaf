import type { ShellWord } from "../../shell/shell-word.ts";

/** Options in front of the command that take the next word, or what stands behind `=`. */
const withValue = /^(?:-c|-C|--(?:git-dir|work-tree|namespace|super-prefix|attr-source)(?:=.*)?)$/s;

/** Options in front of the command that take nothing. */
const alone = new Set(
  (
    "-p -P --paginate --no-pager --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --bare " +
    "--literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs"
  ).split(" "),
);

/** Options with which git prints something about itself, whatever follows. */
const about = new Set(
  "-v --version -h --help --exec-path --html-path --man-path --info-path".split(" "),
);

export interface GitCommand {
  /** Empty where git prints something about itself. */
  readonly name: string;
  /** The options in front of the command, with their values. */
  readonly before: readonly ShellWord[];
  readonly args: readonly ShellWord[];
}

/** The command of git and its arguments; `null`: only running would tell. */
export function gitCommand(args: readonly ShellWord[]): GitCommand | null {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word?.isStatic !== true) return null;
    const { text } = word;
    if (!text.startsWith("-"))
      return { name: text, before: args.slice(0, at), args: args.slice(at + 1) };
    if (about.has(text)) break;
    if (withValue.test(text)) at += text.includes("=") ? 0 : 1;
    else if (!alone.has(text)) return null;
  }
  return { name: "", before: args, args: [] };
}

/** Whether it is a command of two words that lists, and nothing else: `git worktree list`. */
export function onlyLists({ name, args: [verb, ...options] }: GitCommand): boolean {
  return (
    /^(?:stash|worktree)$/.test(name) &&
    verb?.text === "list" &&
    options.every(
      ({ isStatic, text }) => isStatic && /^(?:--porcelain|-z|-v|--verbose)$/.test(text),
    )
  );
}
