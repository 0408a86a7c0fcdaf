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
 * `git status`, short form, cut at 40 kB; `undefined` when git is missing, refuses, or would have to run a program that
 * the repository itself names (a filter). Only for a repository that somebody trusts: git obeys its files in more ways than
 * anybody can list, and runs the filters of the person's own configuration where it says so.
 */
export async function gitStatus(root: string): Promise<string | undefined> {
  try {
    if (namesPrograms(root)) return undefined;
    // Told which files to use, so that it uses exactly what was looked at.
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

/** Whether the repository's own configuration has filters, or parts elsewhere that may have. Read, not asked: it is quicker. */
function namesPrograms(root: string): boolean {
  const directory = gitDirectory(root);
  // Git itself would follow a file there once more, to a place that was not looked at.
  if (!isDirectory(directory)) return true;
  const common = commonDirectory(directory);
  if (common === undefined) return true;
  const files = [join(common, "config"), join(directory, "config.worktree")];
  return files.some((file) => {
    const text = tryRead(file);
    return text === undefined ? existsSync(file) : /\[\s*(filter|include)/i.test(text);
  });
}

/** Where the configuration is, as git finds it; nothing where git may find another place than we do. */
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

/** Where git keeps its files: in a worktree `.git` is a file that says where. */
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

/** A regular file of a sensible size: nothing that a repository puts there may hang us. */
function tryRead(file: string): string | undefined {
  try {
    const info = statSync(file);
    return info.isFile() && info.size <= largestFile ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
