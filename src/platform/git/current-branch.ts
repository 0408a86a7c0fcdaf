import { lstatSync } from "node:fs";
import { join } from "node:path";
import { readSmallFile } from "../files/read-small-file.ts";
import { gitDirectory } from "./git.ts";

const largestHead = 4096;

/** The branch names that are told of an untrusted repository. Git allows far more, whole sentences and tags among them. */
const plainName = /^[\p{L}\p{N}_][\p{L}\p{N}_./@+#-]{0,199}$/u;

/**
 * The branch that is checked out, or the beginning of a commit's hash, read from the files: a process would slow every start.
 *
 * A repository that nobody trusts could lead to any file of the person's, whose text would reach the model as a branch. There only
 * a `.git` that is a directory is looked at, with a `HEAD` that is a regular file, and only a plain name counts. Never throws.
 */
export function currentBranch(
  root: string,
  { trusted }: { readonly trusted: boolean },
): string | undefined {
  const dotGit = join(root, ".git");
  if (!trusted && kindWithoutLinks(dotGit) !== "directory") return undefined;
  const file = join(trusted ? gitDirectory(root) : dotGit, "HEAD");
  if (kindWithoutLinks(file) !== "file") return undefined;
  const head = readSmallFile(file, largestHead);
  if (head.kind !== "text") return undefined;
  const [, name, hash] =
    /^(?:ref: refs\/heads\/([^\n]+)|([0-9a-f]{12})(?:[0-9a-f]{28}|[0-9a-f]{52}))\n?$/.exec(
      head.text,
    ) ?? [];
  return name === undefined || trusted || plainName.test(name) ? (name ?? hash) : undefined;
}

function kindWithoutLinks(path: string): "file" | "directory" | undefined {
  try {
    const info = lstatSync(path);
    return info.isFile() ? "file" : info.isDirectory() ? "directory" : undefined;
  } catch {
    return undefined;
  }
}
