import type { WordPaths } from "../bash/files/word-paths.ts";
import { isSafeAssignment } from "../shell/safe-assignment.ts";
import type { ShellWord } from "../shell/shell-word.ts";
import type { Redirection, SimpleCommand } from "../shell/shell.ts";
import { ruleForPath } from "./path-rule.ts";

/** The rule that allows exactly this; `null` where its text would fit other words, or other text would come of it. */
export function ruleFor({ words, assignments }: SimpleCommand): string | null {
  return words.every(isExact) && words.length > 0 && assignments.every(isSafeAssignment)
    ? `Bash(${words.map(({ text }) => text).join(" ")})`
    : null;
}

/** The rule that allows output to this file. */
export function ruleForFile({ target, effect }: Redirection, pathsOf: WordPaths): string | null {
  // No rule covers a target that is open or begins with `~`.
  if (!target.isStatic || target.belowHome !== null) return null;
  const [path, ...others] = pathsOf(target) ?? [];
  if (path === undefined || others.length > 0 || effect === "read") return null;
  return ruleForPath("Edit", path);
}

/** Whether no other word has this text. A word that expands stands as it was written, with its `$`, `~` or star. */
function isExact(word: ShellWord): boolean {
  return isNameable(word) && !word.text.startsWith("~");
}

/** Whether a rule without a star can name the word: bash passes on its text, in quotes or as the home directory. */
export function isNameable({ isStatic, text }: ShellWord): boolean {
  return isStatic && /^[^\s*?$`]+$/.test(text) && !/\),/.test(text);
}
