import type { ShellWord } from "../../shell/shell-word.ts";
import type { SimpleCommand } from "../../shell/shell.ts";
import { mayNameProtected } from "../../protected.ts";
import { gitArguments } from "./git-arguments.ts";
import { gitCommand, type GitCommand } from "./git-command.ts";
import { rewritingCommands } from "./git-facts.ts";

/** Whether git takes the names of files that it writes, or puts into its index, from its input: a patch, a list, a tree. */
export function takesNamesFromInput({ name, args }: GitCommand): boolean {
  if (/^(?:fast-import|mktree)$/.test(name)) return true;
  if (name === "update-index") return gitArguments(name, args, "quiet") === null;
  if (name === "apply" || name === "am") {
    const given = gitArguments(name, args, "all");
    const files = [...(given?.operands ?? []), ...(given?.paths ?? [])];
    return given === null || files.length === 0 || files.some(({ text }) => text === "-");
  }
  const reads = /^--(?:stdin|pathspec-from-file=?-?)/;
  return rewritingCommands.has(name) && args.some(({ text }) => reads.test(text));
}

/** A pathspec that may match a protected file without its name: `:(glob)**` in front, a star for a directory, or `.c*`. */
export function isLoosePathspec({ isStatic, text }: ShellWord): boolean {
  if (!isStatic) return false;
  if (/^:(?:[!^]|\((?:top,)?exclude\))/.test(text)) return false;
  if (/^:\((?!top\))/.test(text) || /(?:^|\/)[*?]+\/.*[^*/]/.test(text)) return true;
  const hidden = text
    .replace(/^:(?:\/|\(top\))/, "")
    .split("/")
    .filter((segment) => /^[.?[]/.test(segment));
  return hidden.some((segment) => mayNameProtected(segment.replaceAll(/\[[^\]]*\]|\?/g, "*")));
}

/** Whether a command gives others a text of the line's own making: more than a file, or what git tells of its changes. */
export function printsNames({ command }: { readonly command: SimpleCommand }): boolean {
  const [program, ...args] = command.words;
  if (command.outputGoesOn !== true || program === undefined) return false;
  if (program.text === "cat") return false;
  const git = program.text === "git" ? gitCommand(args) : null;
  if (git === null || !tellsChanges(git)) return true;
  return git.args.some(
    ({ isStatic, text }) => !isStatic || (text.startsWith("-") && !plain.test(text)),
  );
}

/** Whether git prints differences of files, not an object that somebody has stored. */
function tellsChanges({ name, args: [first, ...others] }: GitCommand): boolean {
  if (name === "stash") return first?.text === "show";
  if (name !== "show") return name === "diff";
  return [first, ...others].every(
    (word) => word === undefined || /^(?:-|HEAD[~^\d]*$)/.test(word.text),
  );
}

const plain = /^(?:--|-[pRUw\d]+|--(?:cached|staged|binary|full-index|no-color|patch))$/;

/** A text with the escapes resolved by which git quotes names: `".cl\141ude"`. */
export function withoutQuoting(text: string): string {
  return text.replaceAll(/\\([0-3][0-7]{2})/g, (_, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 8)),
  );
}

/** Whether a text is a mail that names its files in another encoding. */
export function isEncoded(text: string): boolean {
  return /^content-transfer-encoding:/im.test(text);
}
