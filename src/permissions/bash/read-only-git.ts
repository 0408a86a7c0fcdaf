import type { ShellWord } from "../../shell/shell-word.ts";

const commands = new Set(["status", "log", "diff", "show"]);

/** Options that run a program or write a file. Git takes their beginnings for them too. */
const dangerous = [
  "--output",
  "--ext-diff",
  "--textconv",
  "--no-index",
  "--open-files-in-pager",
  "--show-signature",
  "--help",
];

/** Options in front of the command: only ones that change neither the repository nor the configuration. */
const before = new Set(["--no-pager", "--no-optional-locks", "--literal-pathspecs"]);

/** Whether a git command only looks at the repository. */
export function isReadOnlyGit(args: readonly ShellWord[]): boolean {
  if (!args.every(({ isStatic }) => isStatic)) return false;
  const texts = args.map(({ text }) => text);
  const at = texts.findIndex((text) => !before.has(text));
  if (!commands.has(texts[at] ?? "")) return false;
  // Signatures are checked by a program that the configuration names.
  return texts.slice(at + 1).every((text) => isHarmless(text) && !text.includes("%G"));
}

function isHarmless(text: string): boolean {
  // `-o` of `git diff` writes; `-O` names a file of orders.
  if (/^-[^-]*[oO]/.test(text) && !/^-\d/.test(text)) return false;
  if (!text.startsWith("--") || text === "--") return true;
  const [option = ""] = text.split("=", 1);
  return !dangerous.some((one) => one.startsWith(option) && option.length > 2);
}
