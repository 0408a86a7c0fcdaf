import { chmodSync, lstatSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { Connection, type ConnectionOptions } from "./connection.ts";
import type { ControlPort } from "./control-port.ts";
import { refuses } from "./dead-socket.ts";
import { systemClock } from "../platform/clock.ts";

export interface ServerOptions extends Partial<ConnectionOptions> {
  path: string;
  token: string;
}

/**
 * Lets other processes of the same user reach a port over a unix socket. A client's bad input or unread output never
 * throws and never makes others wait. Does not keep the process alive.
 */
export class ControlServer {
  readonly #port: ControlPort;
  readonly #options: ConnectionOptions & { path: string };
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  /** Whether the socket exists and is ours. */
  #isOpen = false;

  constructor(port: ControlPort, options: ServerOptions) {
    this.#port = port;
    this.#options = { clock: systemClock, mostUnread: 64 * 1024 * 1024, ...options };
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = 256;
  }

  /** Resolves when the socket can be reached. Replaces a dead socket, and nothing else. */
  async listen(): Promise<void> {
    const { path } = this.#options;
    if (isSocket(path) && (await refuses(path))) rmSync(path, { force: true });
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(path, () => {
        this.#server.off("error", reject);
        // A connection that could not be accepted is lost to its client alone.
        this.#server.on("error", () => undefined);
        chmodSync(path, 0o600);
        this.#isOpen = true;
        removeAtExit(path);
        resolve();
      });
      this.#server.unref();
    });
  }

  /** Accepts no more clients, flushes pending output briefly, and removes the socket. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    await Promise.all([...this.#connections].map((connection) => connection.end()));
    await closed;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    forgetAtExit(this.#options.path);
    rmSync(this.#options.path, { force: true });
  }

  #accept(socket: Socket): void {
    const connection = new Connection(socket, this.#port, this.#options);
    this.#connections.add(connection);
    socket.once("close", () => this.#connections.delete(connection));
  }
}

function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;
}

const openSockets = new Set<string>();

function removeAll(): void {
  for (const path of openSockets) rmSync(path, { force: true });
}

/** Removes the socket when the process ends without closing the server. */
function removeAtExit(path: string): void {
  if (openSockets.size === 0) process.once("exit", removeAll);
  openSockets.add(path);
}

function forgetAtExit(path: string): void {
  openSockets.delete(path);
  if (openSockets.size === 0) process.off("exit", removeAll);
}
