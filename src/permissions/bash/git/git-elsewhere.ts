import { literalWord, type ShellWord } from "../../shell/shell-word.ts";
import { isInside } from "../../../platform/files/is-inside.ts";
import type { Rulebook } from "../../policy.ts";
import type { BashView } from "../view.ts";
import { gitCommand, type GitCommand } from "./git-command.ts";

/**
 * Whether git, as a part of a line, may act on another repository than that of the project: its configuration names programs,
 * which a rule for git is not about. Directories that stand in `named`, the rule's own text, are meant.
 */
export function actsElsewhere(
  words: readonly ShellWord[],
  { bash, book, named }: { bash: BashView; book: Rulebook; named: string },
): boolean {
  const [program, ...args] = words;
  if (!/^(?:.*\/)?git(?:-[\w-]+)?$/s.test(program?.text ?? "")) return false;
  const { ground, policy } = book;
  const command = gitCommand(args);
  const before = command?.before ?? [];
  // The directory of `--git-dir`, or any with `--bare`, is taken for a repository as it is.
  const isBare = before.some(({ text }) => /^--(?:bare|git-dir|work-tree)(?:=|$)/.test(text));
  if (isBare && !before.every(({ text }) => named.includes(text))) return true;
  const directories = [...directoriesOf(before), ...remotesOf(command, bash)];
  const meant = directories.filter(({ text }) => named.split(/[ =]/).includes(text));
  if (directories.some((word) => !meant.includes(word) && !word.isStatic)) return true;
  const exempt = new Set(meant.flatMap((word) => bash.pathsOf(word) ?? []));
  const places = [literalWord("."), ...directories].map((word) => bash.pathsOf(word));
  if (places.includes(null)) return true;
  const others = places.flatMap((paths) => paths ?? []).filter((path) => !exempt.has(path));
  // Another part of the line may put a repository where none is yet.
  const mayChange = (path: string): boolean =>
    path !== ground.cwd &&
    (isBehindOthers(words, bash) ||
      ground.isLinked ||
      bash.touched.some(
        ({ effect, pair, program }) =>
          effect === "write" && program !== "git" && isInside(path, pair.given),
      ));
  return others.some((path) => mayChange(path) || !ground.sharesRepository(policy.project, path));
}

/** Whether another part of the line may make links, or bring directories along. */
function isBehindOthers(words: readonly ShellWord[], { linkMakers, reach }: BashView): boolean {
  const textOf = (all: readonly ShellWord[]): string => all.map(({ text }) => text).join(" ");
  const own = textOf(words);
  return [...linkMakers].some((at) => !textOf(reach.runs[at]?.command.words ?? []).endsWith(own));
}

const transferring = /^(?:push|pull|fetch|clone|ls-remote|remote|submodule|archive|bundle)$/;

/** Directories that a command which talks to repositories is given as one: `git push vendor/x`. */
function remotesOf(command: GitCommand | null, bash: BashView): ShellWord[] {
  if (command === null || !transferring.test(command.name)) return [];
  return command.args.flatMap((word) => {
    if (!word.isStatic) return /^https?:|^ssh:/.test(word.pieces[0] ?? "") ? [] : [word];
    const path = word.text.replace(/^file:\/\//i, "");
    const isPath = path !== word.text || /^[./~]/.test(path) || bash.isDirectory(literalWord(path));
    return isPath && !word.text.startsWith("-") ? [literalWord(path)] : [];
  });
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
