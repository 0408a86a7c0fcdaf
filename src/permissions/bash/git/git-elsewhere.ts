import { literalWord, type ShellWord } from "../../shell/shell-word.ts";
import type { Rulebook } from "../../policy.ts";
import type { BashView } from "../view.ts";
import { gitCommand } from "./git-command.ts";

/**
 * Whether git, as a part of a line, may act on another repository than that of the project: its configuration names programs,
 * which a rule for git is not about. Directories that stand in `named`, the rule's own text, are meant.
 */
export function actsElsewhere(
  [program, ...args]: readonly ShellWord[],
  { bash, book, named }: { bash: BashView; book: Rulebook; named: string },
): boolean {
  if (!/^(?:.*\/)?git(?:-[\w-]+)?$/s.test(program?.text ?? "")) return false;
  const { ground, policy } = book;
  const directories = directoriesOf(gitCommand(args)?.before ?? []);
  const meant = directories.filter(({ text }) => named.split(/[ =]/).includes(text));
  if (directories.some((word) => !meant.includes(word) && !word.isStatic)) return true;
  const exempt = new Set(meant.flatMap((word) => bash.pathsOf(word) ?? []));
  const places = [literalWord("."), ...directories].map((word) => bash.pathsOf(word));
  if (places.includes(null)) return true;
  return places
    .flatMap((paths) => paths ?? [])
    .some((path) => !exempt.has(path) && !ground.sharesRepository(policy.project, path));
}

/** The values of `-C`, `--git-dir` and `--work-tree`. */
function directoriesOf(before: readonly ShellWord[]): ShellWord[] {
  return before.flatMap((word, at) => {
    const [, attached] = /^(?:-C|--(?:git-dir|work-tree))(?:=(.*))?$/s.exec(word.text) ?? [];
    if (attached !== undefined) return [literalWord(attached)];
    const isFlag = /^(?:-C|--git-dir|--work-tree)$/.test(word.text);
    const next = before[at + 1];
    return isFlag && next !== undefined ? [next] : [];
  });
}
