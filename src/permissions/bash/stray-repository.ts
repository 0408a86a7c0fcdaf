import { dirname, join } from "node:path";
import type { Ground } from "../ground.ts";

/**
 * Whether git would find a repository without a `.git` before a usual one. Such a directory can lie among the files of
 * another repository, and its configuration names programs that even `git status` runs.
 */
export function hasStrayRepository({ cwd, exists }: Pick<Ground, "cwd" | "exists">): boolean {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const has = (name: string): boolean => exists(join(directory, name));
    if (has(".git")) return false;
    if (has("HEAD") && ((has("objects") && has("refs")) || has("commondir"))) return true;
    if (directory === dirname(directory)) return false;
  }
}
