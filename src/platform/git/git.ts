import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { readSmallFile } from "../files/read-small-file.ts";
import { ownProgram } from "../own-programs.ts";

const run = promisify(execFile);

/** Switches off what a repository's configuration could have git run. Filters cannot be: see `gitStatus`. */
const safe = [
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "color.status=false",
  "-c",
  "core.pager=cat",
  "-c",
  "protocol.ext.allow=never",
  "-c",
  "status.submoduleSummary=false",
];
const largestStatus = 40_000;
const largestFile = 1024 * 1024;

/** The nearest directory with a `.git`, or none. */
export function repositoryRoot(cwd: string): string | undefined {
  for (let at = cwd; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** `cwd` and its parents up to the repository's root, nearest first; without a repository only `cwd`. */
export function directoriesUpToRoot(cwd: string): string[] {
  const root = repositoryRoot(cwd);
  if (root === undefined) return [cwd];
  const directories = [cwd];
  for (let at = cwd; at !== root; at = dirname(at)) directories.push(dirname(at));
  return directories;
}

/**
 * `git status`, short form, cut at 40 kB. `undefined` if git is missing, refuses, or would have to run a program that
 * the repository itself names (a filter). Only for a trusted repository: git obeys its files in more ways than can be
 * listed, and runs the filters of the user's own configuration on its request.
 */
export async function gitStatus(root: string): Promise<string | undefined> {
  try {
    if (namesPrograms(root)) return undefined;
    // The paths are explicit, so that git uses exactly the files that were checked.
    const place = [`--git-dir=${gitDirectory(root)}`, `--work-tree=${root}`];
    const status = await git(root, [
      ...place,
      "status",
      "--short",
      "--branch",
      "--ignore-submodules=all",
    ]);
    return status.length > largestStatus
      ? `${status.slice(0, largestStatus)}\n… (cut)`
      : status.trimEnd();
  } catch {
    return undefined;
  }
}

/**
 * Whether the repository's own configuration has filters, or includes files that may have some. Read from the files,
 * which is faster than asking git.
 */
function namesPrograms(root: string): boolean {
  const directory = gitDirectory(root);
  // Git itself would follow a file there once more, to a directory that was not checked.
  if (!isDirectory(directory)) return true;
  const common = commonDirectory(directory);
  if (common === undefined) return true;
  const files = [join(common, "config"), join(directory, "config.worktree")];
  return files.some((file) => {
    const text = tryRead(file);
    return text === undefined ? existsSync(file) : /\[\s*(filter|include)/i.test(text);
  });
}

/** The directory of the configuration, as git finds it; `undefined` if git may find another one. */
function commonDirectory(directory: string): string | undefined {
  const read = readSmallFile(join(directory, "commondir"), largestFile);
  if (read.kind === "missing") return directory;
  if (read.kind === "refused") return undefined;
  const path = read.text.replace(/[\r\n]+$/, "");
  return /^[^\s\0]+( [^\s\0]+)*$/.test(path) ? resolve(directory, path) : undefined;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The directory of git's files. In a worktree, `.git` is a file that names it. */
export function gitDirectory(root: string): string {
  const dotGit = join(root, ".git");
  const pointer = /^gitdir: ([^\n]+)\n?$/.exec(tryRead(dotGit) ?? "")?.[1];
  return pointer === undefined ? dotGit : resolve(root, pointer);
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  const program = ownProgram("git", [cwd]);
  const { stdout } = await run(program.file, [...safe, "--no-optional-locks", ...args], {
    cwd,
    timeout: 10_000,
    maxBuffer: 16 * 1024 * 1024,
    env: {
      ...process.env,
      PATH: program.path,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_NO_LAZY_FETCH: "1",
      GIT_ALLOW_PROTOCOL: "",
    },
  });
  return stdout;
}

/** Reads a regular file of a sensible size, so that a file of the repository cannot hang this process. */
function tryRead(file: string): string | undefined {
  try {
    const info = statSync(file);
    return info.isFile() && info.size <= largestFile ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
