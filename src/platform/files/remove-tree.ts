import { constants } from "node:fs";
import { lstat, open, readdir, rmdir, unlink } from "node:fs/promises";
import { systemCode } from "../../contract/errors.ts";
import { filesAtOnce, mapAtMost } from "../gate.ts";
import { descriptorLinks } from "./open-decided.ts";

/**
 * Removes a file, or a directory and everything in it. A link loses only its own name, never its target, even if
 * another process puts one in the place of a directory meanwhile: each directory is reached by its descriptor. Missing
 * files are no error, so that two may remove the same tree. Throws the file system's error.
 *
 * On systems that show no descriptors as links (macOS) the names are used, and a swap after the look is not seen.
 */
export async function removeTree(path: string): Promise<void> {
  await unlessGone(async () => {
    const info = await lstat(path);
    if (!info.isDirectory()) return unlink(path);
    await emptyDirectory(path);
    await rmdir(path);
  });
}

async function emptyDirectory(path: string): Promise<void> {
  await using directory = await open(path, directoryFlags);
  const links = descriptorLinks();
  const way = links === undefined ? path : `${links}/${directory.fd}`;
  const entries = await readdir(way, { withFileTypes: true });
  const [directories, others] = [
    entries.filter((entry) => entry.isDirectory()),
    entries.filter((entry) => !entry.isDirectory()),
  ];
  await mapAtMost(filesAtOnce, others, ({ name }) => unlessGone(() => unlink(`${way}/${name}`)));
  for (const { name } of directories) await removeTree(`${way}/${name}`);
}

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Works on a file that another process may have removed; `undefined` if it is gone. */
export async function unlessGone<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
