import { lstatSync } from "node:fs";
import { connect } from "node:net";
import { systemCode } from "../../errors.ts";

/** A socket is listened to as soon as it is made; one that is younger than this may be about to be. */
const youngest = 60_000;

/** Whether a socket is left of a process that is gone. Only one that refuses is: a busy one does not answer at once. */
export async function isDeadSocket(path: string): Promise<boolean> {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.isSocket() !== true || Date.now() - info.mtimeMs < youngest) return false;
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (isDead: boolean): void => {
      socket.destroy();
      resolve(isDead);
    };
    socket.setTimeout(2000, () => settle(false));
    socket.once("connect", () => settle(false));
    socket.once("error", (error) => settle(systemCode(error) === "ECONNREFUSED"));
  });
}
