import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  statSync,
} from "node:fs";
import { systemCode } from "../../contract/errors.ts";
import { realPath, unknownPath } from "./real-path.ts";

const nowhere =
  "The path cannot be resolved: it is forbidden, too long or a cycle of links, or leads through /proc/self or /dev/fd. Name the file by its own path.";

/**
 * Opens the file that a decision was made about. `path` is a path without links, as `realPath` gave it when the call
 * was allowed. Since then another process may have replaced any part of it by a link, so the descriptor's own path is
 * checked before any read or write. Throws `PathChanged`, or the file system's error.
 *
 * Never give it `O_CREAT` or `O_TRUNC`: they act before the check. New files are made in a `holdDirectory`.
 */
export function openDecided(path: string, flags: number): number {
  if (path === unknownPath) throw new Error(nowhere);
  for (let attempt = 1; ; attempt += 1) {
    const descriptor = openWithoutLink(path, flags);
    let actual: string;
    try {
      actual = whereItLeads(descriptor, path);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    if (actual === path) return descriptor;
    closeSync(descriptor);
    // An editor replaced it by a new version just after it was opened. The new one is as good.
    if (actual === `${path} (deleted)` && attempt < maxAttempts) continue;
    throw new PathChanged(path, actual);
  }
}

/** The path in use differs from the path that was decided on. Nothing was read or written. */
export class PathChanged extends Error {
  override readonly name = "PathChanged";

  constructor(path: string, actual: string) {
    super(
      actual.endsWith(" (deleted)") || actual === path
        ? `${path} changed while it was being opened. Try again.`
        : `${path} changed while it was being opened: it now leads to ${actual}. Try again.`,
    );
  }
}

/** The error for a link that was not there at the decision: `PathChanged`, or `ELOOP` for links that lead nowhere. */
export function linkInTheWay(path: string): unknown {
  try {
    statSync(path);
  } catch (error) {
    if (systemCode(error) === "ELOOP") return error;
  }
  return new PathChanged(path, realPath(path));
}

let known: { directory: string | undefined } | undefined;

/**
 * The directory in which Linux shows the descriptors of this process as links; `undefined` on other systems and without
 * `/proc`.
 */
export function descriptorLinks(): string | undefined {
  known ??= { directory: findDescriptorLinks() };
  return known.directory;
}

function findDescriptorLinks(): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    // Our process id in this /proc; in a container it may differ from ours.
    const directory = `/proc/${readlinkSync("/proc/self")}/fd`;
    return statSync(directory).isDirectory() ? directory : undefined;
  } catch {
    return undefined;
  }
}

const maxAttempts = 20;

// Not among Node's constants. macOS then refuses a link in any part of the path, so that no check is needed.
const noFollowAny = 0x2000_0000;
const noLink = process.platform === "darwin" ? noFollowAny : constants.O_NOFOLLOW;

function openWithoutLink(path: string, flags: number): number {
  try {
    return openSync(path, flags | noLink);
  } catch (error) {
    const code = systemCode(error);
    const mayBeLink = code === "ELOOP" || code === "ENOTDIR";
    if (mayBeLink && leadsElsewhere(path)) throw linkInTheWay(path);
    throw error;
  }
}

function leadsElsewhere(path: string): boolean {
  return (
    realPath(path) !== path || lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  );
}

function whereItLeads(descriptor: number, path: string): string {
  const links = descriptorLinks();
  if (links !== undefined) return linkedPath(`${links}/${descriptor}`, descriptor, path);
  if (process.platform === "darwin") return path;
  // Weaker: two swaps between these two calls are not seen.
  const actual = realPath(path);
  return actual !== path || isSameFile(descriptor, path) ? actual : `${path} (deleted)`;
}

function linkedPath(link: string, descriptor: number, path: string): string {
  const actual = readlinkSync(link);
  if (actual === path) {
    // Bytes that are no text all read as this one character.
    const isAmbiguous = path.includes("\uFFFD");
    if (!isAmbiguous || readlinkSync(link, "buffer").equals(Buffer.from(path))) return path;
    return `${path} (deleted)`;
  }
  // On a case-insensitive file system the kernel shows the spelling that it met first.
  const isRespelled = actual.toLowerCase() === path.toLowerCase();
  return isRespelled && isSameFile(descriptor, path) ? path : actual;
}

function isSameFile(descriptor: number, path: string): boolean {
  const opened = fstatSync(descriptor);
  const named = lstatSync(path, { throwIfNoEntry: false });
  return named !== undefined && named.dev === opened.dev && named.ino === opened.ino;
}
