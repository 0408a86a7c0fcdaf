import { literalWord, type ShellWord } from "../shell/shell-word.ts";
import { actingOptions } from "./acting-options.ts";
import { isChanger } from "./forms.ts";
import { isLook, isPlainProgram } from "./look/table-looks.ts";
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
  const program = programOf(name);
  if (quiet.has(program) || isTalker(program) || isLook(program, args)) return [];
  if (args.length > mostStarts) return null;
  return args.map((_, at) => args.slice(at));
}

/** Programs that take names of files, or text, and have no option that names a program. */
const takers: ReadonlySet<string> = new Set(
  "cd test [ prettier eslint oxlint oxfmt biome stylelint tsc black ruff isort pylint flake8 gofmt rustfmt shellcheck shfmt jest vitest mocha pytest".split(
    " ",
  ),
);

/** Commands of other programs of which the same holds. */
const takingCommands: ReadonlyMap<string, RegExp> = new Map([
  ["gh", /^(?:pr|issue|release|run|workflow|search|label)$/],
  ["docker", /^(?:build|pull|push|tag|rm|rmi|stop|start|restart|kill|inspect|logs)$/],
  ["kubectl", /^(?:get|describe|logs|delete|apply|scale|rollout)$/],
]);

/** Programs that run a script, which could run anything by itself. Its arguments are no more than that. */
const interpreters = /^(?:node|nodejs|python[\d.]*|ruby|perl|php|lua|java|Rscript|tsx|ts-node)$/;

/** Whether a program runs no command that an open word, `at` among its arguments, may turn out to be. */
export function takesOpenWords([name, ...args]: readonly ShellWord[], at: number): boolean {
  const program = name === undefined ? "" : programOf(name);
  // `60` is the duration of a wrapper. Forms without wrappers are looked at by themselves.
  if (/^\d[\d.]*[smhd]?$/.test(name?.text ?? "")) return true;
  if (isChanger(program) || isPlainProgram(program) || takers.has(program)) return true;
  if (takingCommands.get(program)?.test(args[0]?.text ?? "") === true) return true;
  if (interpreters.test(program)) return at > 0;
  const mayBeOption = args.some(({ isStatic, pieces }) => !isStatic && !isOperand(pieces[0]));
  if (mayBeOption && (program === "find" || actingOptions.has(program))) return false;
  return program === "find" || isLook(program, args.map(standIn));
}

function programOf({ text }: ShellWord): string {
  return text.slice(text.lastIndexOf("/") + 1);
}

function isOperand(start: string | null | undefined): boolean {
  return typeof start === "string" && !start.startsWith("-");
}

/** An open word, taken for an operand. */
function standIn(word: ShellWord): ShellWord {
  return word.isStatic ? word : literalWord(`${word.pieces[0] ?? ""}x`);
}
