import { existsSync, lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { linkedRepository } from "../../settings/main-checkout.ts";
import { directoriesUpToRoot, gitDirectory } from "./git.ts";
import { insist } from "./git-index-entries.ts";
import { pathsInIndex } from "./git-index-paths.ts";
import type { ObjectFormat } from "./git-index-paths.ts";
import { kindOf } from "../files/kind-of.ts";
import { readSmallBytes, readSmallFile } from "../files/read-small-file.ts";

const largestIndex = 8 * 1024 * 1024;
const largestConfig = 1024 * 1024;

/** Variables that make git take another repository, work tree or index than the folders say. */
const redirections = [
  "GIT_DIR",
  "GIT_INDEX_FILE",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_OBJECT_DIRECTORY",
];
/** Extensions of a repository that leave its work tree and the format of its index alone. */
const harmlessExtensions =
  /^extensions\.(noop|partialclone|preciousobjects|refstorage|relativeworktrees|worktreeconfig)$/;

export interface TrackedPaths {
  /** The top of the work tree, as a real path. */
  readonly root: string;
  /** Paths below `root`, each once, with the case and the bytes that the index holds. */
  readonly paths: readonly string[];
}

/**
 * The paths that git tracks in the work tree around a folder. `null`: unknown, and a person decides. Never throws.
 *
 * Plain `git diff` shows no file outside this list. `git diff HEAD` and `--cached` may: they show the content of a
 * commit. An index with a submodule is `null`: `diff.submodule` has git show the files in it, and git obeys the
 * submodule's own configuration there. A sparse or split index is `null` too, because it does not contain all names.
 */
export function trackedPaths(folder: string): TrackedPaths | null {
  if (redirections.some((name) => process.env[name] !== undefined)) return null;
  try {
    const { root, directory, common } = repositoryAround(folder);
    const format = objectFormat([join(common, "config"), join(directory, "config.worktree")]);
    const index = readSmallBytes(join(directory, "index"), largestIndex);
    if (index.kind === "missing") return { root, paths: [] };
    insist(index.kind === "bytes");
    return { root, paths: pathsInIndex(index.bytes, format) };
  } catch {
    // Data that ends early or is malformed, or a folder that cannot be read.
    return null;
  }
}

/** The directories of the index (`directory`) and of the configuration (`common`). Throws where git might look elsewhere. */
function repositoryAround(folder: string): { root: string; directory: string; common: string } {
  const folders = directoriesUpToRoot(realpathSync.native(folder));
  const root = folders.pop() ?? folder;
  // Git may take a folder with a HEAD for a bare repository, also below another one.
  insist(!folders.some((path) => existsSync(join(path, "HEAD"))));

  const directory = gitDirectory(root);
  const linked = linkedRepository(root);
  const common = linked ?? directory;
  const isPlain = lstatSync(join(root, ".git")).isDirectory();
  insist(linked !== undefined || (isPlain && !existsSync(join(directory, "commondir"))));
  // Git passes over a repository without these, and takes the next one above.
  insist(["objects", "refs"].every((name) => kindOf(join(common, name)) === "directory"));
  insist(lstatSync(join(directory, "HEAD")).isFile());
  const head = readSmallFile(join(directory, "HEAD"), largestConfig);
  insist(head.kind === "text" && /^(ref: refs\/|[0-9a-f]{40})/.test(head.text));
  return { root, directory, common };
}

/** The hash that the repository uses. Throws if a setting moves the work tree, or may be in a file that is not read. */
function objectFormat(files: readonly string[]): ObjectFormat {
  let format: ObjectFormat = "sha1";
  for (const file of files) {
    const read = readSmallFile(file, largestConfig);
    insist(read.kind !== "refused");
    for (const [name, value] of read.kind === "text" ? settingsIn(read.text) : []) {
      insist(name !== "core.worktree" && !/^include(if)?\./.test(name));
      if (name === "core.bare") insist(value === "false");
      else if (name === "extensions.objectformat") {
        insist(value === "sha1" || value === "sha256");
        format = value;
      } else if (name.startsWith("extensions.")) insist(harmlessExtensions.test(name));
    }
  }
  return format;
}

/** Names (section and key, in lower case) and values, in the form in which git writes them. Throws at any other form. */
function settingsIn(text: string): [name: string, value: string][] {
  const settings: [string, string][] = [];
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    if (/^[ \t]*([#;]|$)/.test(line)) continue;
    const header = /^[ \t]*\[([a-z0-9.-]+)([ \t]+"([^"\\]|\\.)*")?\][ \t]*$/i.exec(line);
    const setting = /^[ \t]*([a-z][a-z0-9-]*)[ \t]*(?:=(.*))?$/i.exec(line);
    // A backslash at the end continues the value in the next line.
    insist((header !== null || setting !== null) && !line.endsWith("\\"));
    if (header !== null) section = (header[1] ?? "").toLowerCase();
    else settings.push([`${section}.${setting?.[1]?.toLowerCase()}`, (setting?.[2] ?? "").trim()]);
  }
  return settings;
}
