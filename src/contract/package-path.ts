import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Path of a file that ships with the package (agents, prompts, the demo); works from sources, from dist/ and from its
 * own bundle.
 */
export function packagePath(name: string): string {
  return join(root, name);
}

const root = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(directory: string): string {
  if (existsSync(join(directory, "package.json")) || dirname(directory) === directory)
    return directory;
  return findRoot(dirname(directory));
}
