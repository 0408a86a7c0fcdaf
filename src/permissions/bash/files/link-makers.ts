import type { ShellWord } from "../../shell/shell-word.ts";
import { gitCommand } from "./git-command.ts";
import { lookingCommands } from "./git-facts.ts";

/** Programs that make links, or bring some along; of git, whatever does more than look. Copies are looked at one by one. */
export function mayMakeLinks([name, ...args]: readonly ShellWord[]): boolean {
  if (makers.test(name?.text ?? "")) return true;
  if (name?.text !== "git") return false;
  const command = gitCommand(args);
  if (command === null) return true;
  const isList = /^(?:stash|worktree)$/.test(command.name) && command.args[0]?.text === "list";
  return !isList && !lookingCommands.has(command.name);
}

const makers = /(?:^|\/)(?:ln|tar|bsdtar|unzip|7z|cpio|mount|patch|gh|glab|hg|svn)$/;
