import { dirname } from "node:path";
import type { Ground } from "../ground.ts";

/**
 * Whether git would find a repository without a `.git` before a usual one. Such a directory can lie among the files of
 * another repository, and its configuration names programs that even `git status` runs.
 */
export function hasStrayRepository({ cwd, list }: Pick<Ground, "cwd" | "list">): boolean {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const listed = list(directory);
    if (listed === null) return true;
    const names = new Set(listed.map((name) => name.toLowerCase()));
    if (names.has(".git")) return false;
    const hasObjects = names.has("objects") && names.has("refs");
    if (names.has("head") && (hasObjects || names.has("commondir"))) return true;
    if (directory === dirname(directory)) return false;
  }
}
