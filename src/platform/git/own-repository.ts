import { lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { linkedRepository } from "../../settings/main-checkout.ts";
import { hasForeignSubmodule } from "./foreign-submodule.ts";
import { gitDirectory } from "./git.ts";
import { kindOf } from "../files/kind-of.ts";
import { readSmallFile } from "../files/read-small-file.ts";
import { realPath } from "../files/real-path.ts";

const largestHead = 16 * 1024;

/**
 * Whether git, started in a directory, finds the repository of a folder, a linked work tree of it, or none at all. Any
 * other repository has its own configuration, which names programs. A submodule is another repository; git in the work
 * tree around it enters it, so all submodules must be stored in the repository itself.
 *
 * Git uses the first `.git` upwards, or a directory that is itself a repository and has a `HEAD`, which need not be a
 * file nor point anywhere. Both are looked up without following links. Never throws.
 */
export function findsRepositoryOf(folder: string, cwd: string): boolean {
  const own = realPath(folder);
  for (let at = realPath(cwd); ; at = dirname(at)) {
    const isThere = isEntry(join(at, ".git"));
    if (at === own ? isThere && isTaken(join(at, ".git")) : isThere)
      return (at === own || sharesRepository(own, at)) && !entersForeign(at);
    if (isEntry(join(at, "HEAD"))) return false;
    if (at === dirname(at)) return true;
  }
}

/** Whether git finds the same repository from a directory as from a folder, a linked work tree of it, or none at all. */
export function findsSameRepository(folder: string, directory: string): boolean {
  const found = repositoryFrom(directory);
  if (found === undefined) return true;
  const own = repositoryFrom(folder);
  return found === own || (own !== undefined && sharesRepository(own, found));
}

/** The nearest directory upwards that has a repository, or may be one. */
function repositoryFrom(directory: string): string | undefined {
  for (let at = realPath(directory); ; at = dirname(at)) {
    if (isEntry(join(at, ".git")) || isEntry(join(at, "HEAD"))) return at;
    if (at === dirname(at)) return undefined;
  }
}

function isEntry(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // An entry that cannot be read may exist.
    return true;
  }
}

/** Whether git uses this `.git` and stops searching upwards. An invalid file makes git fail. */
function isTaken(dotGit: string): boolean {
  try {
    if (!statSync(dotGit).isDirectory()) return true;
  } catch {
    return false;
  }
  const head = readSmallFile(join(dotGit, "HEAD"), largestHead);
  return (
    ["objects", "refs"].every((name) => kindOf(join(dotGit, name)) === "directory") &&
    head.kind === "text" &&
    /^(?:ref: refs\/|[0-9a-f]{40})/.test(head.text)
  );
}

/** Whether two folders are work trees of one repository: the main one and a linked one, or two linked ones. */
function sharesRepository(folder: string, other: string): boolean {
  const common = commonDirectory(folder);
  return common !== undefined && commonDirectory(other) === common;
}

/** Git looks into submodules, too. */
function entersForeign(root: string): boolean {
  return hasForeignSubmodule(root, linkedRepository(root) ?? gitDirectory(root));
}

function commonDirectory(folder: string): string | undefined {
  const dotGit = join(folder, ".git");
  try {
    return lstatSync(dotGit).isDirectory() ? dotGit : linkedRepository(folder);
  } catch {
    return undefined;
  }
}
