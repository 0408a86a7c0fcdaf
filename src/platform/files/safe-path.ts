import { accessSync, constants } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "./is-inside.ts";
import { realPath } from "./real-path.ts";
import { userHome } from "./user-home.ts";

/** Directories of the system's programs, if no others are left. An empty PATH would mean the current directory. */
const systemPath = ["/usr/bin", "/bin"].join(delimiter);

/** Directories with programs of all users. A folder there does not make the rest of it suspicious. */
const shared: ReadonlySet<string> = new Set([
  "/",
  ...["/usr", "/usr/local", "/opt", "/opt/homebrew", "/opt/local", "/home/linuxbrew/.linuxbrew"],
  ...["/nix", "/nix/store", "/gnu", "/gnu/store", "/run", "/snap", "/var"],
]);

/** Programs that do what files of the current directory say: `node_modules/.bin` of any parent, version managers. */
const obedient = /(?:^|\/)(?:node_modules\/\.bin|shims)\/*$/;

/**
 * The PATH without directories that a folder can influence. So the name of a system program always starts that program,
 * whatever the folder contains. Left out are relative directories; those inside the folder or below a parent of it,
 * except for the home directory and its parents; every `node_modules/.bin`, which `npx` puts first; and the shims of
 * asdf, mise, pyenv and the like, which run what `.tool-versions` names.
 */
export function safePath(path: string | undefined, folders: readonly string[]): string {
  const within = [
    ...new Set(folders.flatMap((folder) => [folder, realPath(folder)]).flatMap(suspicious)),
  ];
  const isSafe = (entry: string): boolean =>
    isAbsolute(entry) &&
    [entry, realPath(entry)].every(
      (one) => !obedient.test(one) && !within.some((folder) => isInside(folder, one)),
    );
  return (path ?? "").split(delimiter).filter(isSafe).join(delimiter) || systemPath;
}

/** A folder and its parents. The home directory counts only if it is the folder itself. */
function suspicious(folder: string): string[] {
  const homes = [userHome(), realPath(userHome())];
  const found: string[] = [];
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const holdsHome = homes.some((home) => isInside(at, home));
    if (!shared.has(at) && (at === folder || !holdsHome)) found.push(at);
  }
  return found;
}

/** The file of a program on such a path. Never the name alone, which would be looked up once more: where there is none, starting it fails. */
export function programOn(path: string, name: string): string {
  const files = path.split(delimiter).map((directory) => join(directory, name));
  return files.find(isExecutable) ?? files[0] ?? join("/usr/bin", name);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
