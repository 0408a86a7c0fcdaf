import { repositoryRoot } from "../platform/git/git.ts";
import { realPath } from "../platform/files/real-path.ts";

/**
 * The folder whose settings and trust apply: the root of the repository, else the directory itself. Links are resolved
 * first: the folder that is read and the one that was trusted must be the same.
 */
export function projectFolder(cwd: string): string {
  const directory = realPath(cwd);
  return repositoryRoot(directory) ?? directory;
}
