import { closeSync, constants, mkdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { systemCode } from "../../contract/errors.ts";
import { descriptorLinks, openDecided } from "./open-decided.ts";

/**
 * A directory that was decided on, checked once and then reached by its descriptor: new files land in it, even if
 * another process puts a link in its place meanwhile. If the directory itself is moved, its new files go with it.
 *
 * On systems that show no descriptors as links (macOS) the names are used, and a swap after the check is not seen.
 */
export interface HeldDirectory extends Disposable {
  readonly path: string;
  /** A path to an entry, for any function that takes one. */
  at(name: string): string;
  /** The same error, about the path that people know. */
  named(error: unknown): unknown;
}

/**
 * Holds a directory. `path`: without links, as `realPath` gave it. `make`: missing directories are made with this mode,
 * each in its held parent. Throws `PathChanged`, or the file system's error.
 */
export function holdDirectory(path: string, make?: number): HeldDirectory {
  try {
    return held(path, openDecided(path, directoryFlags));
  } catch (error) {
    const isMissing = systemCode(error) === "ENOENT" && dirname(path) !== path;
    if (make === undefined || !isMissing) throw error;
  }
  using parent = holdDirectory(dirname(path), make);
  try {
    mkdirSync(parent.at(basename(path)), { mode: make });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw parent.named(error);
  }
  return held(path, openDecided(path, directoryFlags));
}

// `O_PATH`, not among Node's constants. Reaches entries even of a directory that may not be listed.
const reachOnly = process.platform === "linux" ? 0x20_0000 : 0;
const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | reachOnly;

function held(path: string, descriptor: number): HeldDirectory {
  const links = descriptorLinks();
  const way = links === undefined ? path : `${links}/${descriptor}`;
  return {
    path,
    at: (name) => `${way}/${name}`,
    named(error) {
      if (error instanceof Error) error.message = error.message.replaceAll(way, path);
      return error;
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
