import type { Manager } from "../manager.ts";

/** A session that other processes of its user can reach, until it or its manager is closed. */
export interface ServedSession extends AsyncDisposable {
  readonly socket: string;
  close(): Promise<void>;
}

const served = new WeakMap<Manager, Promise<ServedSession>>();

/**
 * Serves the agents of this manager to other terminals (`retinue stop`, `send`, `attach` …), over a socket that only
 * this user can open. Does not keep the process alive. A second call while it serves returns the same object. Throws
 * `unreachable` if there is no place for a socket. A manager does this by itself when one of its agents asks a person.
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

/** Stops serving a manager, if it is served. Never rejects. */
export async function endServing(manager: Manager): Promise<void> {
  const serving = await served.get(manager)?.catch(() => undefined);
  await serving?.close();
}

async function open(manager: Manager, onClose: () => void): Promise<ServedSession> {
  // Loaded on demand: most programs serve nothing.
  const { openSocket } = await import("./open-socket.ts");
  const { lease } = manager;
  const { path: socket, server } = await openSocket(manager, lease.token);
  lease.announce(socket);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= withdraw());
  const withdraw = async (): Promise<void> => {
    lease.announce(null);
    await server.close();
    onClose();
  };
  return { socket, close, [Symbol.asyncDispose]: close };
}
