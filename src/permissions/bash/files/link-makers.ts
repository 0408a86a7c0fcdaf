import type { ShellWord } from "../../../shell/shell-word.ts";
import { gitCommand } from "./git-command.ts";

/** Programs that make links, or bring some along; of git, whatever does more than look. */
export function mayMakeLinks([name, ...args]: readonly ShellWord[]): boolean {
  if (/(?:^|\/)(?:ln|tar|bsdtar|unzip|7z|cpio|mount)$/.test(name?.text ?? "")) return true;
  return name?.text === "git" && !looking.test(gitCommand(args)?.name ?? "");
}

const looking =
  /^(?:status|log|show|diff|shortlog|blame|ls-files|ls-tree|rev-parse|describe|grep)$/;
