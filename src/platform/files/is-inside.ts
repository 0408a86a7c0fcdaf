import { isAbsolute, relative, sep } from "node:path";

/** Whether a path is a directory or inside it. Compares names; links are the caller's business. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
