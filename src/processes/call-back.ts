import { createHash, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { z } from "zod";
import { RetinueError } from "../contract/errors.ts";
import { isEqual } from "../platform/is-equal.ts";
import { once } from "../platform/once.ts";
import { isPrivate, privateSocket } from "../platform/private-socket.ts";

/*
 * How a process reaches another one that has no socket: it leaves word where it listens, and is called back. On Linux it
 * listens at an abstract address, which is no file that could be renamed. Who it is, its sign says (`sign.ts`).
 */

/** Where a process waits to be called back. */
export interface CallBack {
  /** The process that listens, as it names itself. */
  readonly pid: number;
  readonly address: string;
  /** Said first by whoever calls back: anybody on the machine may dial an abstract address. */
  readonly secret: string;
}

export const callBackSchema: () => z.ZodType<CallBack> = once(() =>
  z.object({
    pid: z.int().positive(),
    address: z.string().min(1).max(108),
    secret: z.string().length(secretLength),
  }),
);

const secretLength = 43;
const isAbstract = process.platform === "linux";

export interface AwaitedCall extends Disposable {
  readonly at: CallBack;
  /** The first connection that knows the secret. Stays open when this is disposed of; never rejects. */
  readonly called: Promise<Socket>;
}

/** Listens for a call. Throws `unreachable` where there is no place for it. */
export async function awaitCall(realm: string): Promise<AwaitedCall> {
  const secret = randomBytes(32).toString("base64url");
  const address = newAddress(realm);
  const { promise: called, resolve } = Promise.withResolvers<Socket>();
  const server = createServer((socket) => {
    // Until it has proved itself, it keeps nobody waiting.
    socket.unref();
    socket.on("error", () => socket.destroy());
    socket.once("data", (first: Buffer) => {
      if (isEqual(first.toString("latin1"), `${secret}\n`)) resolve(socket.ref());
      else socket.destroy();
    });
  });
  await listening(server, address);
  return {
    at: { pid: process.pid, address, secret },
    called,
    [Symbol.dispose]() {
      server.close();
      if (!isAbstract) rmSync(address, { force: true });
    },
  };
}

const open = new Set<string>();

/** Calls back. Throws `invalid_request` when the address is not one for this realm, and when nobody answers there. */
export function callBack({ address, secret }: CallBack, realm: string): Promise<Socket> {
  if (!isAddress(address, realm) || open.has(address))
    return Promise.reject(uncalled(address, "it is no address for this session"));
  open.add(address);
  return new Promise((resolve, reject) => {
    const socket = connect(systemAddress(address));
    socket.once("connect", () => {
      socket.write(`${secret}\n`);
      resolve(socket);
    });
    socket.once("error", (error) => reject(uncalled(address, error.message)));
    socket.once("close", () => open.delete(address));
  });
}

function uncalled(address: string, reason: string): RetinueError {
  return new RetinueError(
    "invalid_request",
    `The session cannot call back at ${address}: ${reason}. Run the command again, with the same version of Retinue.`,
  );
}

/** The address as `/proc/net/unix` shows it. */
function newAddress(realm: string): string {
  const random = randomBytes(8).toString("hex");
  if (isAbstract) return `@retinue-${tagOf(realm)}-${random}`;
  const path = privateSocket(random);
  if (path !== null) return path;
  throw new RetinueError(
    "unreachable",
    "No directory for a socket is private to you. Set XDG_RUNTIME_DIR to one that is, with a path of at most 70 bytes.",
  );
}

function isAddress(address: string, realm: string): boolean {
  if (!isAbstract) return isPrivate(dirname(address));
  const [, tag] = /^@retinue-([0-9a-f]{16})-[0-9a-f]{16}$/.exec(address) ?? [];
  return tag === tagOf(realm);
}

function tagOf(realm: string): string {
  return createHash("sha256").update(realm).digest("hex").slice(0, 16);
}

function systemAddress(address: string): string {
  return isAbstract ? `\0${address.slice(1)}` : address;
}

function listening(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(systemAddress(address), () => {
      server.off("error", reject);
      server.on("error", () => undefined);
      resolve();
    });
    server.unref();
  });
}
