import { isUtf8 } from "node:buffer";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { systemCode } from "../contract/errors.ts";
import { trackedPaths, type TrackedPaths } from "../platform/git/git-index.ts";
import { findsRepositoryOf, findsSameRepository } from "../platform/git/own-repository.ts";
import { realPath } from "../platform/files/real-path.ts";
import { userHome } from "../platform/files/user-home.ts";

/** The disk as a decision sees it. Nothing is changed through it. */
export interface Ground {
  /** Where the call runs. */
  readonly cwd: string;
  /** Meaning of `~` in a rule. */
  readonly home: string;
  /** Meaning of `~` in a command: its environment may say something else. */
  readonly shellHome: string;
  /** The variables that a command finds set. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A path after resolving every link. */
  realPath(path: string): string;
  /** The names in a directory; none where there is none; `null` where they cannot all be told. */
  list(directory: string): readonly string[] | null;
  exists(path: string): boolean;
  /** The paths that git tracks around the directory where the call runs; `null` where they cannot be told. */
  tracked(): TrackedPaths | null;
  /** Whether git, where the call runs, finds the repository of this folder, or none. */
  findsRepositoryOf(folder: string): boolean;
  /** Whether git finds the same repository from a directory as from a folder, or none. */
  sharesRepository(folder: string, directory: string): boolean;
  /** Another command of the session relies on paths as they are: nothing is moved under it unasked. */
  readonly isShared: boolean;
  /** Another command of the session may make links meanwhile: any path may lead elsewhere. */
  readonly isLinked: boolean;
  /** Whether there is something that is no directory. */
  isFile(path: string): boolean;
}

export function realGround(cwd: string, home = userHome(), shellHome = home): Ground {
  const files = { realPath, list: namesIn, exists: existsSync, isFile };
  return {
    cwd,
    home,
    shellHome,
    environment: { ...process.env, HOME: shellHome },
    isShared: false,
    isLinked: false,
    ...files,
    tracked: () => trackedPaths(cwd),
    findsRepositoryOf: (folder) => findsRepositoryOf(folder, cwd),
    sharesRepository: findsSameRepository,
  };
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    return false;
  }
}

function namesIn(directory: string): readonly string[] | null {
  try {
    const names = readdirSync(directory, { encoding: "buffer" });
    // A name that is no UTF-8 would be another one as text.
    return names.every((name) => isUtf8(name)) ? names.map((name) => name.toString()) : null;
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? [] : null;
  }
}
