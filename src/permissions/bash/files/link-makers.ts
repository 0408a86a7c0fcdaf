import type { ShellWord } from "../../shell/shell-word.ts";
import { gitCommand } from "../git/git-command.ts";
import { lookingCommands, storingCommands } from "../git/git-facts.ts";

/** Programs that make links, or bring some along; of git, whatever may change the work tree. Copies are looked at one by one. */
export function mayMakeLinks([name, ...args]: readonly ShellWord[]): boolean {
  const program = name?.text.slice(name.text.lastIndexOf("/") + 1) ?? "";
  if (program === "cp") return args.some(({ text }) => /^-\w*[sl]|^--(?:sy|l)/.test(text));
  if (program === "tar") return !packs(args);
  if (program === "gh") return !gitHubLooks.test(`${args[0]?.text} ${args[1]?.text}`);
  if (makers.test(program)) return true;
  if (program !== "git") return false;
  const command = gitCommand(args);
  if (command === null) return true;
  const { name: verb, args: given } = command;
  const isList = /^(?:stash|worktree)$/.test(verb) && given[0]?.text === "list";
  if (isList || lookingCommands.has(verb) || storingCommands.has(verb)) return false;
  return !/^(?:config|init|format-patch|)$/.test(verb) && !startsBranch(verb, given);
}

const makers =
  /^(?:ln|link|bsdtar|unzip|7z|7za|7zz|unrar|unar|pax|cpio|mount|patch|stow|glab|hg|svn|jj|bzr|fossil)$/;

/** Commands of `gh` that leave the work tree alone. */
const gitHubLooks =
  /^(?:repo view|(?:pr|issue|run|release|workflow) (?:view|list|status|diff|checks|create|comment|edit|review|watch))$/;

/** Whether `tar` packs or lists, in a spelling that is known. */
function packs([mode, ...others]: readonly ShellWord[]): boolean {
  if (mode?.isStatic !== true || !/^-?[ct][vfzjJ]*$/.test(mode.text)) return false;
  return others.every(({ isStatic, text }) => isStatic && (text === "-" || !text.startsWith("-")));
}

/** `git checkout -b x`, `git switch -c x`: a branch of what is there. */
function startsBranch(verb: string, [flag, name, ...others]: readonly ShellWord[]): boolean {
  const isStart = verb === "checkout" ? flag?.text === "-b" : flag?.text === "-c";
  if (!/^(?:checkout|switch)$/.test(verb) || !isStart || others.length > 0) return false;
  return name !== undefined && (name.isStatic || !name.canSplit);
}
