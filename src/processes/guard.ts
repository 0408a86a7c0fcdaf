import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { ownProgram } from "../platform/own-programs.ts";
import { guardScript } from "./guard-script.ts";
import { owner } from "./owner.ts";
import { showOwner } from "./shown-owner.ts";

let guard: ChildProcess | undefined;

/**
 * Starts one small process that watches over this one, unless it runs already. When this process is gone, also by `kill
 * -9`, the guard ends everything with our mark. The guard has its own session, no mark, and only the pipe it waits at
 * open; nothing waits for it. If it cannot be started, agents run without it: the next Retinue that runs for some
 * seconds ends what is left (`reapOnce`).
 */
export function ensureGuard(): void {
  showOwner();
  if (guard !== undefined) return;
  const bash = ownProgram("bash");
  const child = spawn(bash.file, ["--noprofile", "--norc", "-c", guardScript, guardName, owner], {
    argv0: guardName,
    cwd: "/",
    env: { PATH: bash.path, LC_ALL: "C" },
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard = child;
  const forget = (): void => {
    if (guard === child) guard = undefined;
  };
  child.once("exit", forget);
  child.once("error", forget);
  child.stdin.on("error", forget);
  child.unref();
  // Node types it as a stream; a pipe to a child is a socket.
  (child.stdin as Partial<Socket>).unref?.();
}

/** Name of the guard in a list of processes. */
export const guardName = "retinue-guard";
