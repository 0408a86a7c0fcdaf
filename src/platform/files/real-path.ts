import { isUtf8 } from "node:buffer";
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../../contract/errors.ts";

/** A path that no system has. */
export const unknownPath = "/\0";

const unknownLink = Symbol("a link that cannot be read");

/** The number of links that the kernel follows. */
const mostLinks = 40;

/**
 * The path after resolving every link, as the kernel does: one part after the other, `..` after the link before it. The
 * last parts need not exist; a dangling link counts by its target. `unknownPath`, which is inside nothing, is returned
 * for a path that cannot be resolved: it is too long or forbidden, or has too many links or one whose target is no
 * text. It is also returned for a path through a link in `/proc`, such as `/proc/self/cwd` and `/dev/fd`, which has
 * another target in each process.
 */
export function realPath(path: string): string {
  if (process.platform === "linux") return walked(path);
  try {
    return realpathSync.native(path);
  } catch {
    return walked(path);
  }
}

function walked(path: string): string {
  const parts = partsOf(path.startsWith("/") ? path : `${process.cwd()}/${path}`);
  let real = "/";
  let links = 0;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part === "..") {
      real = dirname(real);
      continue;
    }
    const next = join(real, part);
    const target = linkAt(next);
    if (target === unknownLink) return unknownPath;
    if (target === null) {
      real = next;
      continue;
    }
    links += 1;
    if (next.startsWith("/proc/")) return unknownPath;
    if (links > mostLinks) return unknownPath;
    if (target.startsWith("/")) real = "/";
    parts.push(...partsOf(target));
  }
  return real;
}

/** The parts of a path in reverse order. */
function partsOf(path: string): string[] {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .toReversed();
}

function linkAt(path: string): string | typeof unknownLink | null {
  try {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    if (!isLink) return null;
    const target = readlinkSync(path, "buffer");
    // Decoding would make another name of it.
    return isUtf8(target) ? target.toString() : unknownLink;
  } catch (error) {
    const code = systemCode(error);
    // A name that no system has is no link.
    const isNone = code === undefined || code === "ENOENT" || code === "ENOTDIR";
    return isNone || path.includes("\0") ? null : unknownLink;
  }
}
