import { dirname } from "node:path";
import { errorMessage, RetinueError } from "../errors.ts";
import type { Manager } from "../manager.ts";
import type { ControlPort } from "./control-port.ts";

/** A session that other processes of its user can reach, until it is closed or its manager is. */
export interface ServedSession extends AsyncDisposable {
  readonly socket: string;
  close(): Promise<void>;
}

/**
 * Lets `retinue stop`, `send`, `attach` and the like reach the agents of this manager from other terminals, over a socket that
 * only this user can open. Does not keep the process alive. Throws `unreachable` where there is no place for a socket.
 */
export async function serveSession(manager: Manager): Promise<ServedSession> {
  // Loaded when asked for: most programs serve nothing.
  const { removeDeadSockets, socketPath } = await import("./private-socket.ts");
  const { ControlServer } = await import("./server.ts");
  const socket = socketPath(manager.sessionId);
  if (socket === null) {
    throw new RetinueError(
      "unreachable",
      "No directory for the session's socket is private to you. Set XDG_RUNTIME_DIR to one that is, with a path of at most 70 bytes.",
    );
  }
  const { lease } = manager;
  const server = new ControlServer(portOf(manager), { path: socket, token: lease.token });
  await server.listen().catch((error: unknown) => {
    throw new RetinueError(
      "unreachable",
      `The session's socket ${socket} cannot be opened: ${errorMessage(error)}. Set XDG_RUNTIME_DIR to a directory of your own.`,
      { cause: error },
    );
  });
  lease.announce(socket);
  void removeDeadSockets(dirname(socket));

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= withdraw());
  const withdraw = async (): Promise<void> => {
    ended.abort();
    lease.announce(null);
    await server.close();
  };
  const ended = new AbortController();
  void closedOf(manager, ended.signal).then(close);
  return { socket, close, [Symbol.asyncDispose]: close };
}

/** A stream of no events ends with the manager. */
async function closedOf(manager: Manager, signal: AbortSignal): Promise<void> {
  for await (const _ of manager.events({ types: [], signal }));
}

function portOf(manager: Manager): ControlPort {
  const later = manager as Manager & Pick<ControlPort, "kill" | "send" | "background" | "resume">;
  return {
    sessionId: manager.sessionId,
    get: (id) => manager.get(id),
    list: (options) => manager.list(options),
    output: (id, options) => manager.output(id, options),
    events: (options) => manager.events(options),
    stop: (id, { reason }) => manager.stop(id, reason),
    ...(later.kill === undefined ? {} : { kill: later.kill.bind(manager) }),
    ...(later.send === undefined ? {} : { send: later.send.bind(manager) }),
    ...(later.background === undefined ? {} : { background: later.background.bind(manager) }),
    ...(later.resume === undefined ? {} : { resume: later.resume.bind(manager) }),
  };
}
