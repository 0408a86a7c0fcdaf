import type { ShellWord } from "../../../shell/shell-word.ts";
import { gitCommand } from "./git-command.ts";

/** Programs that make links, or bring some along; of git, whatever does more than look. */
export function mayMakeLinks([name, ...args]: readonly ShellWord[]): boolean {
  if (/(?:^|\/)(?:ln|tar|bsdtar|unzip|7z|cpio|mount)$/.test(name?.text ?? "")) return true;
  if (name?.text !== "git") return false;
  const command = gitCommand(args);
  const verb = command?.args[0]?.text === "list" ? " list" : "";
  return !looking.test(`${command?.name ?? ""}${verb}`);
}

const looking =
  /^(?:status|log|show|diff|shortlog|blame|ls-files|ls-tree|rev-parse|rev-list|describe|grep|branch|tag|remote|version|reflog|cat-file|merge-base|for-each-ref|stash list|worktree list)$/;
