import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../files/is-inside.ts";
import { realPath } from "../files/real-path.ts";
import { systemDirectories } from "./system-paths.ts";

/** Directories beside the `bin` of an installation that belong to its programs, and hold no files of a person. */
const beside: readonly string[] = ["lib", "lib64", "libexec", "Cellar", "opt"];

/** So many programs that are links; of others nobody would hear that they are missing. */
const mostTargets = 500;

/**
 * The directories of the `PATH` that lie outside the system, with what their programs need. The home directory itself is never
 * among them, nor anything above it. Directories inside `within` are left out: they are seen anyway, and a repository could put
 * links there that lead to what it wants to read.
 */
export async function programPaths(of: {
  path: string;
  home: string;
  within: readonly string[];
}): Promise<string[]> {
  const { home, within } = of;
  const directories = [...new Set(of.path.split(delimiter))].filter((directory) => {
    if (!isAbsolute(directory)) return false;
    const real = realPath(directory);
    const isOf = (one: string): boolean => isInside(one, real);
    const isLed = within.some((one) => isInside(one, directory) || isInside(one, real));
    return !isInside(real, home) && !systemDirectories.some(isOf) && !isLed;
  });
  const found = await Promise.all(directories.map((directory) => programsIn(directory, home)));
  return found.flat();
}

const known = new Map<string, { readonly changed: number; readonly paths: readonly string[] }>();
const mostKnown = 100;

/** A directory is listed again only when it has changed: some hold thousands of programs, or are slow. */
async function programsIn(directory: string, home: string): Promise<readonly string[]> {
  const info = await stat(directory).catch(() => undefined);
  if (info?.isDirectory() !== true) return [];
  const before = known.get(directory);
  if (before?.changed === info.mtimeMs) return before.paths;
  const paths = [directory, ...siblings(realPath(directory), home), ...(await targets(directory))];
  if (known.size >= mostKnown) known.clear();
  known.set(directory, { changed: info.mtimeMs, paths });
  return paths;
}

function siblings(directory: string, home: string): string[] {
  const parent = dirname(directory);
  // Beside `~/bin` lie people's own files.
  if (!/^s?bin$/.test(basename(directory)) || isInside(parent, home)) return [];
  return beside.map((name) => join(parent, name));
}

/** The files that links in a directory lead to, as far as they are programs. */
async function targets(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((): Dirent[] => []);
  const links = entries.filter((entry) => entry.isSymbolicLink()).slice(0, mostTargets);
  const found = await Promise.all(
    links.map(async ({ name }) => {
      const path = join(directory, name);
      const info = await stat(path).catch(() => undefined);
      return info?.isFile() === true && (info.mode & 0o111) !== 0 ? [realPath(path)] : [];
    }),
  );
  return found.flat();
}
