import { lstatSync } from "node:fs";
import { join } from "node:path";
import { readSmallFile } from "../files/read-small-file.ts";
import { gitDirectory } from "./git.ts";

const largestHead = 4096;

/** Branch names that are shown of an untrusted repository. Git allows far more, even whole sentences and tags. */
const plainName = /^[\p{L}\p{N}_][\p{L}\p{N}_./@+#-]{0,199}$/u;

/**
 * The branch that is checked out, or the prefix of a commit's hash, read from the files: a process would slow every
 * start.
 *
 * An untrusted repository could point to any file of the user, whose text would reach the model as a branch name. There
 * only a `.git` directory with a `HEAD` that is a regular file is read, and only a plain name is accepted. Never
 * throws.
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
