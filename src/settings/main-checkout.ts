import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isInside } from "../platform/files/is-inside.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { realPath } from "../platform/files/real-path.ts";

const largestPointer = 16 * 1024;

/**
 * The main checkout of a linked git worktree, or nothing. Anyone can write a `.git` file that points at another user's
 * repository, so that repository must point back: `<main>/.git/worktrees/<id>` has to name this very folder, and to
 * belong to the same user. `folder` is a real path. Git is not run: nothing may be started in an untrusted folder.
 */
export function mainCheckout(folder: string): string | undefined {
  const common = linkedRepository(folder);
  return common !== undefined && basename(common) === ".git" ? dirname(common) : undefined;
}

/** The repository of a linked worktree: the directory that holds `worktrees`, verified in the same way. */
export function linkedRepository(folder: string): string | undefined {
  const dotGit = join(folder, ".git");
  const owner = ownerOf(dotGit, "file");
  const pointer = /^gitdir: ([^\n]+)\n?$/.exec(pointerText(dotGit))?.[1];
  if (owner === undefined || pointer === undefined) return undefined;

  const entry = realPath(resolve(folder, pointer));
  const common = dirname(dirname(entry));
  if (basename(dirname(entry)) !== "worktrees") return undefined;
  if (ownerOf(entry, "directory") !== owner) return undefined;
  // A folder that contains its own repository would vouch for itself.
  if (isInside(folder, entry) || isInside(common, folder)) return undefined;
  if (!["HEAD", "objects", "refs"].every((name) => existsSync(join(common, name))))
    return undefined;

  const back = pathIn(join(entry, "gitdir"));
  if (back === undefined || basename(back) !== ".git") return undefined;
  if (realPath(dirname(back)) !== folder) return undefined;
  const shared = pathIn(join(entry, "commondir"));
  return shared !== undefined && realPath(shared) === common ? common : undefined;
}

/** The owner of a path; nothing if it is missing, of another kind or a link. */
function ownerOf(path: string, kind: "file" | "directory"): number | undefined {
  try {
    const info = lstatSync(path);
    return (kind === "file" ? info.isFile() : info.isDirectory()) ? info.uid : undefined;
  } catch {
    return undefined;
  }
}

/** The path in a file of git; relative ones start at the file. */
function pathIn(file: string): string | undefined {
  const path = pointerText(file).replace(/\n$/, "");
  return path === "" || path.includes("\n") ? undefined : resolve(dirname(file), path);
}

function pointerText(file: string): string {
  const read = readSmallFile(file, largestPointer);
  return read.kind === "text" ? read.text : "";
}
