import { accessSync, chmodSync, constants, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Programs that allow rules name. The third is a bash script, as many programs are: it reads BASH_ENV and functions. */
export const allowedStubs = ["good1", "good2", "good3"] as const;
/** One that a deny rule names, and one that no rule names. */
export const forbiddenStubs = ["evil", "other"] as const;

/** Real programs that generated commands may start. None of them can leave the directory without a path that does. */
const realPrograms = [
  ...["bash", "sh", "env", "timeout", "nice", "nohup", "xargs", "stdbuf", "setsid", "flock"],
  ...["find", "sed", "awk", "git", "sort", "tee", "ls", "cat", "head", "tail", "grep", "wc"],
  ...["which", "diff", "stat", "du", "ionice"],
];

/** Wrappers that want a terminal or a password: they start what they are given as the real ones would. */
const standIns = {
  sudo: 'while [ "${1#-}" != "$1" ]; do case $1 in -u|-g) shift 2;; --) shift; break;; *) shift;; esac; done; exec env "$@"',
  doas: 'while [ "${1#-}" != "$1" ]; do shift; done; exec "$@"',
  watch:
    'while [ "${1#-}" != "$1" ]; do case $1 in -n) shift 2;; *) shift;; esac; done; exec sh -c "$*"',
};

const unitSeparator = "\u001F";
const recordSeparator = "\u001E";

/**
 * Fills a directory that is to be first in the PATH. The log's path stands in the stubs, because a command may clear its
 * environment; one `printf` writes a record, so that programs of a pipe cannot mix theirs.
 */
export function installStubs(directory: string, log: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of [...allowedStubs, ...forbiddenStubs]) {
    const shell = findProgram(name === "good3" ? "bash" : "sh");
    install(
      join(directory, name),
      `#!${shell}\nIFS='${unitSeparator}'\nprintf '%s\\036' "${name}${unitSeparator}$*" >>'${log}'\n`,
    );
  }
  for (const [name, script] of Object.entries(standIns)) {
    install(join(directory, name), `#!${findProgram("sh")}\n${script}\n`);
  }
}

/** Copies, not links: a command that writes to what `which` answers must not reach the system's own. */
export function copyRealPrograms(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of realPrograms) {
    const program = findProgram(name);
    if (program !== undefined) copyFileSync(program, join(directory, name));
  }
}

/** What a log says: each program that ran, with its arguments. */
export function readLog(text: string): string[] {
  return text
    .split(recordSeparator)
    .slice(0, -1)
    .map((record) => record.split(unitSeparator).join(" ").trim());
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
