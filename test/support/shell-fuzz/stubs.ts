import { accessSync, chmodSync, constants, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";

/** Programs that allow rules name. The third is a bash script, as many programs are: it reads BASH_ENV and functions. */
export const allowedStubs = ["good1", "good2", "good3"] as const;
/** The first has a deny rule, the second has no rule. */
export const forbiddenStubs = ["evil", "other"] as const;
/** The program that the repository's own configuration names. */
export const gitStub = "evil-of-git";

/** Real programs that only look, some of them whatever they are given. */
export const lookPrograms: readonly string[] = [
  ...["cat", "tac", "head", "tail", "wc", "nl", "ls", "stat", "du", "df", "cmp", "diff", "comm"],
  ...["cut", "paste", "sort", "uniq", "tr", "rev", "fold", "od", "strings", "md5sum", "sha256sum"],
  ...["cksum", "basename", "dirname", "realpath", "readlink", "grep", "egrep", "fgrep", "rg", "jq"],
  ...["sed", "date", "seq", "pwd", "uname", "hostname", "whoami", "id", "which", "true", "false"],
  ...["find", "git", "file", "tree", "xxd", "hexdump", "column", "test", "[", "echo", "printf"],
  ...["sleep", "arch", "nproc", "tty", "logname", "uptime", "b2sum", "sha1sum"],
];

/** Real programs that run others as they are given. */
export const wrapperPrograms: readonly string[] = ["nice", "nohup", "stdbuf", "timeout", "xargs"];

/** Real programs that do more than look. */
const otherPrograms = [
  ...["bash", "sh", "env", "setsid", "flock", "awk", "tee", "ionice", "mkdir", "touch", "rm"],
  ...["rmdir", "cp", "mv", "ln", "chmod", "dd"],
];

/** Wrappers that want a terminal or a password: they start what they are given as the real ones would. */
const standIns = {
  sudo: 'while [ "${1#-}" != "$1" ]; do case $1 in -u|-g) shift 2;; --) shift; break;; *) shift;; esac; done; exec env "$@"',
  doas: 'while [ "${1#-}" != "$1" ]; do shift; done; exec "$@"',
  watch:
    'while [ "${1#-}" != "$1" ]; do case $1 in -n) shift 2;; *) shift;; esac; done; exec sh -c "$*"',
};

/** Fills a directory that is to be first in the PATH. The trace tells what runs, so that a stub does nothing. */
export function installStubs(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const nothing = findProgram("true") ?? "true";
  for (const name of ["good1", "good2", ...forbiddenStubs, gitStub])
    copyFileSync(nothing, join(directory, name));
  install(join(directory, "good3"), `#!${findProgram("bash")}\n:\n`);
  for (const [name, script] of Object.entries(standIns)) {
    install(join(directory, name), `#!${findProgram("sh")}\n${script}\n`);
  }
}

/** Copies, so that the PATH holds nothing else. */
export function copyRealPrograms(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of [...lookPrograms, ...wrapperPrograms, ...otherPrograms]) {
    const program = name === "rg" ? rgPath : findProgram(name);
    if (program !== undefined) copyFileSync(program, join(directory, name));
  }
}

export function findProgram(name: string): string | undefined {
  const directories = (process.env["PATH"] ?? "").split(delimiter);
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

function install(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
