import type { Manager } from "../manager.ts";

/** A session that other processes of its user can reach, until it is closed or its manager is. */
export interface ServedSession extends AsyncDisposable {
  readonly socket: string;
  close(): Promise<void>;
}

const served = new WeakMap<Manager, Promise<ServedSession>>();

/**
 * Lets `retinue stop`, `send`, `attach` and the like reach the agents of this manager from other terminals, over a socket that
 * only this user can open. Does not keep the process alive. Asking again while it serves gives the same. Throws `unreachable`
 * where there is no place for a socket.
 */
export function serveSession(manager: Manager): Promise<ServedSession> {
  const before = served.get(manager);
  if (before !== undefined) return before;
  const forget = (): boolean => served.delete(manager);
  const serving = open(manager, forget);
  served.set(manager, serving);
  serving.catch(forget);
  return serving;
}

async function open(manager: Manager, onClose: () => void): Promise<ServedSession> {
  // Loaded when asked for: most programs serve nothing.
  const { openSocket } = await import("./open-socket.ts");
  const { lease } = manager;
  const { path: socket, server } = await openSocket(manager, lease.token);
  lease.announce(socket);
  const ended = new AbortController();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= withdraw());
  const withdraw = async (): Promise<void> => {
    ended.abort();
    lease.announce(null);
    await server.close();
    onClose();
  };
  void closedOf(manager, ended.signal).then(close);
  return { socket, close, [Symbol.asyncDispose]: close };
}

/** A stream of no events ends with the manager. */
async function closedOf(manager: Manager, signal: AbortSignal): Promise<void> {
  for await (const _ of manager.events({ types: [], signal }));
}
