import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { linkedRepository } from "../../settings/main-checkout.ts";
import { repositoryRoot } from "../git/git.ts";
import { isInside } from "../files/is-inside.ts";
import { readSmallFile } from "../files/read-small-file.ts";
import { realPath } from "../files/real-path.ts";

const largestFile = 1024 * 1024;

/**
 * The paths that git must see to work in a directory, besides that directory. Below the root of a repository that is
 * the whole work tree: git compares all of it, and would report files that it cannot see as deleted. A `.git` file may
 * point anywhere, so its target is shown only if that names this work tree in turn. A repository around the home
 * directory is not shown, nor one of another user above the directory.
 */
export function gitPaths(directory: string, home: string): string[] {
  const real = realPath(directory);
  const root = repositoryRoot(real);
  if (root === undefined || isInside(root, home)) return [];
  if (root !== real && lstatSync(join(root, ".git")).uid !== process.getuid?.()) return [];
  const elsewhere = linkedRepository(root) ?? submoduleOf(root);
  return elsewhere === undefined || isInside(elsewhere, home) ? [root] : [root, elsewhere];
}

/** The directory in which the superproject stores the repository of a submodule. */
function submoduleOf(root: string): string | undefined {
  const pointer = /^gitdir: ([^\n]+)\n?$/.exec(textOf(join(root, ".git")))?.[1];
  if (pointer === undefined) return undefined;
  const directory = realPath(resolve(root, pointer));
  if (isInside(root, directory)) return undefined;
  const back = /^\s*worktree\s*=\s*([^\n"]+?)\s*$/m.exec(textOf(join(directory, "config")))?.[1];
  return back !== undefined && realPath(resolve(directory, back)) === root ? directory : undefined;
}

function textOf(file: string): string {
  const read = readSmallFile(file, largestFile);
  return read.kind === "text" ? read.text : "";
}

/** The user's own configuration of git, which decides what git ignores and how it shows files. No credentials. */
export function gitConfiguration(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  return [
    join(home, ".gitconfig"),
    ...["config", "ignore", "attributes"].map((name) => join(config, "git", name)),
  ];
}

/** Settings for git that only looks. Programs for one kind of file (`diff.x.textconv`, `filter.x.clean`) have no switch. */
const looking = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  // A directory among the files of a repository can itself be one.
  "safe.bareRepository": "explicit",
  "log.showSignature": "false",
  // Git in a submodule would obey another configuration and does not get this one.
  "status.submoduleSummary": "false",
  "diff.submodule": "short",
};

/**
 * Settings for git that only looks: it writes no index, runs no hook, fetches nothing that a partial clone lacks, and
 * starts no daemon that would outlive the command.
 */
export function gitThatLooks(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const count = Number(env["GIT_CONFIG_COUNT"] ?? "0") || 0;
  const settings = Object.entries(looking);
  return {
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    // No protocol at all: older versions do not know the variable above.
    GIT_ALLOW_PROTOCOL: "",
    GIT_CONFIG_COUNT: String(count + settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${count + at}`, name],
        [`GIT_CONFIG_VALUE_${count + at}`, value],
      ]),
    ),
  };
}

/**
 * The protected paths that exist and can be made read-only. The whole `.git` of a repository is one, so that no
 * unapproved command commits.
 */
export function holdable(paths: readonly string[]): string[] {
  const whole = paths.map((path) => (/\/\.git\/[^/]+$/.test(path) ? dirname(path) : path));
  return [...new Set(whole)].filter((path) => {
    const info = lstatSync(path, { throwIfNoEntry: false });
    return info !== undefined && !info.isSymbolicLink();
  });
}
