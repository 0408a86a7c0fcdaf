import { lstatSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { systemCode } from "../contract/errors.ts";

/** A socket is listened to as soon as it is made; one that is younger than this may be about to be. */
const youngest = 60_000;

/** Removes sockets that processes left behind which had no time to: nobody listens to them. */
export async function removeDeadSockets(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((name) => name.endsWith(".sock"))) {
    const path = join(directory, name);
    if (await isDeadSocket(path)) await rm(path, { force: true });
  }
}

/** Whether a socket is left of a process that is gone. */
export async function isDeadSocket(path: string): Promise<boolean> {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.isSocket() !== true || Date.now() - info.mtimeMs < youngest) return false;
  return refuses(path);
}

/** Nobody listens to it. Only one that says so counts: a busy one does not answer at once. */
export function refuses(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.unref();
    const settle = (isDead: boolean): void => {
      socket.destroy();
      resolve(isDead);
    };
    socket.setTimeout(2000, () => settle(false));
    socket.once("connect", () => settle(false));
    socket.once("error", (error) => settle(systemCode(error) === "ECONNREFUSED"));
  });
}
