import { lstatSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { systemCode } from "../contract/errors.ts";

/** Age in milliseconds below which a socket may not be listened to yet. */
const youngest = 60_000;

/** Removes sockets of processes that ended without closing them. */
export async function removeDeadSockets(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((name) => name.endsWith(".sock"))) {
    const path = join(directory, name);
    if (await isDeadSocket(path)) await rm(path, { force: true });
  }
}

/** Whether a socket belongs to a process that is gone. */
export async function isDeadSocket(path: string): Promise<boolean> {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.isSocket() !== true || Date.now() - info.mtimeMs < youngest) return false;
  return refuses(path);
}

/** Whether the socket refuses connections. Only a refusal counts: a busy process does not answer at once. */
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
