import { lstatSync, mkdirSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCode } from "../errors.ts";

/** What the system takes as the path of a socket: 104 bytes on macOS, with a zero at its end. */
const longestPath = 100;

/**
 * Where the socket of a session is made: in a directory that only its user can enter, because a socket's own mode does not
 * keep others out everywhere. Nothing where there is no such directory.
 */
export function socketPath(sessionId: string, env: NodeJS.ProcessEnv = process.env): string | null {
  const name = `${sessionId.replaceAll("-", "").slice(0, 16)}.sock`;
  const runtime = env["XDG_RUNTIME_DIR"];
  const directories = [
    ...(runtime !== undefined && isOurs(runtime) ? [join(runtime, "retinue")] : []),
    ...[tmpdir(), "/tmp"].map((directory) => join(directory, `retinue-${process.getuid?.()}`)),
  ];
  const fitting = directories.filter((directory) => fits(join(directory, name)));
  const directory = fitting.find((directory) => make(directory) && isPrivate(directory));
  return directory === undefined ? null : join(directory, name);
}

/** Whoever became another user may still have the variable of the first. */
function isOurs(directory: string): boolean {
  return lstatSync(directory, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

/** A directory, no link, that is ours and that nobody else can enter. */
export function isPrivate(directory: string): boolean {
  const info = lstatSync(directory, { throwIfNoEntry: false });
  if (info === undefined || !info.isDirectory()) return false;
  return info.uid === process.getuid?.() && (info.mode & 0o077) === 0;
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= longestPath;
}

function make(directory: string): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
    return true;
  } catch (error) {
    return systemCode(error) === "EEXIST";
  }
}

/** One that is as old as this has been listened to since, if it ever was. */
const ageMs = 60_000;

/** Removes sockets that processes left behind which had no time to: nobody listens to them. */
export async function removeDeadSockets(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((name) => name.endsWith(".sock"))) {
    const path = join(directory, name);
    const info = await stat(path).catch(() => undefined);
    if (info?.isSocket() !== true || Date.now() - info.mtimeMs < ageMs) continue;
    if (await isDead(path)) await rm(path, { force: true });
  }
}

function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.unref();
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", (error) => resolve(systemCode(error) === "ECONNREFUSED"));
  });
}
