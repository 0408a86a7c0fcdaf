import { createHash } from "node:crypto";
import { accessSync, constants, lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemCode } from "../contract/errors.ts";

/** The longest socket path that systems accept: 104 bytes on macOS, with a zero at its end. */
const longestPath = 100;

/**
 * The path of a lease's socket, in a directory that only its user can enter: a socket's own mode does not keep others
 * out everywhere. `null` where there is no such directory. Sessions of two config directories may have the same id, two
 * leases never the same token.
 */
export function socketPath(
  { sessionId, token }: { sessionId: string; token: string },
  env: NodeJS.ProcessEnv = process.env,
): string | null {
  const session = sessionId.replaceAll("-", "").slice(0, 8).padEnd(8, "0");
  const owner = createHash("sha256").update(token).digest("hex").slice(0, 8);
  return privateSocket(`${session}${owner}`, env);
}

/** A path for a socket of this name, of at most 16 characters; `null` where no directory for it is private. */
export function privateSocket(name: string, env: NodeJS.ProcessEnv = process.env): string | null {
  const directory = socketDirectories(env).find(
    (directory) => make(directory) && isPrivate(directory),
  );
  return directory === undefined ? null : join(directory, `${name}.sock`);
}

const longestName = "0123456789abcdef.sock".length;

/** Directories for sockets in this environment; the first private one is used. */
export function socketDirectories(env: NodeJS.ProcessEnv = process.env): string[] {
  const runtime = env["XDG_RUNTIME_DIR"];
  const temporary = [tmpdir(), "/tmp"].map((directory) =>
    join(directory, `retinue-${process.getuid?.()}`),
  );
  return [
    ...(runtime !== undefined && isOurs(runtime) ? [join(runtime, "retinue")] : []).filter(fits),
    ...temporary.filter((directory) => fits(directory) && isUsable(directory)).slice(0, 1),
  ];
}

/** Whether a directory is private, or can be made so. */
function isUsable(directory: string): boolean {
  if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined) return isPrivate(directory);
  try {
    accessSync(dirname(directory), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether a directory is ours: after a change of user the variable may still be that of the first user. */
function isOurs(directory: string): boolean {
  return lstatSync(directory, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

/** Whether a path is a directory, no link, that is ours and that no other user can enter. */
export function isPrivate(directory: string): boolean {
  const info = lstatSync(directory, { throwIfNoEntry: false });
  if (info === undefined || !info.isDirectory()) return false;
  return info.uid === process.getuid?.() && (info.mode & 0o077) === 0;
}

function fits(directory: string): boolean {
  return Buffer.byteLength(directory) + 1 + longestName <= longestPath;
}

function make(directory: string): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
    return true;
  } catch (error) {
    return systemCode(error) === "EEXIST";
  }
}
