import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../files/is-inside.ts";
import { realPath } from "../files/real-path.ts";
import { systemDirectories } from "./system-paths.ts";

/** Directories beside the `bin` of an installation that belong to its programs, and contain no files of a user. */
const beside: readonly string[] = ["lib", "lib64", "libexec", "Cellar", "opt"];

/** The most programs that are links. Further ones are missing without a message. */
const mostTargets = 500;

/**
 * The directories of the `PATH` outside the system, with the files that their programs need. The home directory and
 * everything above it are never among them. Directories inside `within` are left out: they are visible anyway, and a
 * repository could put links there to files that it wants to read.
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

/** Lists a directory again only if it has changed: some contain thousands of programs, or are slow. */
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
  // Files of the user are beside `~/bin`.
  if (!/^s?bin$/.test(basename(directory)) || isInside(parent, home)) return [];
  return beside.map((name) => join(parent, name));
}

/** The targets of links in a directory that are programs. */
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
