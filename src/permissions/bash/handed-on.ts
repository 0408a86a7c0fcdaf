import type { ShellWord } from "../shell/shell-word.ts";
import { isLook } from "./look/table-looks.ts";
import { isTalker } from "./files/mentioned-files.ts";

/** Words in one command from which another one may begin. */
const mostStarts = 32;

/** Programs that take files and data, and run none of them. What git runs is known elsewhere. */
const quiet: ReadonlySet<string> = new Set(
  "git mkdir touch rm rmdir unlink truncate tee chmod chown chgrp cp mv ln dd gzip gunzip".split(
    " ",
  ),
);

export function isQuietProgram(program: string): boolean {
  return quiet.has(program);
}

/**
 * The commands that an unknown program may run because they are among its arguments: each rest of its words. `null`: there are
 * too many to look at.
 */
export function handedOn([name, ...args]: readonly ShellWord[]): ShellWord[][] | null {
  if (name === undefined || name.text === "command") return [];
  const program = name.text.slice(name.text.lastIndexOf("/") + 1);
  if (quiet.has(program) || isTalker(program) || isLook(program, args)) return [];
  if (args.length > mostStarts) return null;
  return args.map((_, at) => args.slice(at));
}
