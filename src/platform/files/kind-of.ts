import { statSync } from "node:fs";

/**
 * The kind of a path's target, through links. `other`: a pipe or device, nothing at all, or something that may not be
 * read.
 */
export function kindOf(path: string): "file" | "directory" | "other" {
  try {
    const stats = statSync(path);
    return stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other";
  } catch {
    return "other";
  }
}
