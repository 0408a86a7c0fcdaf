import { lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { gitDirectory } from "./git.ts";
import { gitlinksInIndex } from "./gitlinks-in-index.ts";
import { isInside } from "../files/is-inside.ts";
import { readSmallBytes, readSmallFile } from "../files/read-small-file.ts";
import { realPath } from "../files/real-path.ts";

const largestIndex = 64 * 1024 * 1024;
const largestConfig = 1024 * 1024;
const deepest = 8;

/**
 * Whether git in a work tree may enter a repository that is not stored in its own. `git status` and `git diff` run git
 * in every submodule, which obeys the configuration there. Git itself stores submodules in `common`, with a
 * configuration that git wrote; any other repository at the path of a submodule is foreign. True also if that is
 * unknown. Never throws.
 */
export function hasForeignSubmodule(root: string, common: string, depth = 0): boolean {
  const directory = gitDirectory(root);
  const index = readSmallBytes(join(directory, "index"), largestIndex);
  if (index.kind === "missing") return false;
  const links = index.kind === "bytes" ? gitlinksInIndex(index.bytes, hashSize(common)) : null;
  if (links === null || depth === deepest) return true;
  return links.some((path) => {
    const inner = join(root, path);
    const kind = kindOfEntry(join(inner, ".git"));
    if (kind === "missing") return false;
    const kept = realPath(resolve(gitDirectory(inner)));
    if (kind !== "file" || !isInside(realPath(common), kept)) return true;
    return hasForeignSubmodule(inner, kept, depth + 1);
  });
}

function kindOfEntry(path: string): "missing" | "file" | "other" {
  try {
    const info = lstatSync(path, { throwIfNoEntry: false });
    if (info === undefined) return "missing";
    return info.isFile() ? "file" : "other";
  } catch {
    return "other";
  }
}

/** Bytes of a hash in the index. */
function hashSize(common: string): 20 | 32 {
  const config = readSmallFile(join(common, "config"), largestConfig);
  return config.kind === "text" && /objectformat\s*=\s*"?sha256/i.test(config.text) ? 32 : 20;
}
