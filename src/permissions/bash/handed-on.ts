import type { ShellWord } from "../../shell/shell-word.ts";
import { hasKnownFiles } from "./files/file-use.ts";
import { isLookProgram } from "./look/programs.ts";
import { isTalker } from "./files/mentioned-files.ts";

/** Words in one command from which another one may begin. */
const mostStarts = 32;

/** The commands that an unknown program may run because they are among its arguments: each rest of its words. */
export function handedOn([name, ...args]: readonly ShellWord[]): string[] {
  if (name === undefined || name.text === "command" || args.length === 0) return [];
  const program = name.text.slice(name.text.lastIndexOf("/") + 1);
  if (hasKnownFiles(program) || isTalker(program) || isLookProgram(program)) return [];
  const texts = args.slice(0, 2 * mostStarts).map(({ text }) => text);
  return texts.slice(0, mostStarts).map((_, at) => texts.slice(at).join(" "));
}
