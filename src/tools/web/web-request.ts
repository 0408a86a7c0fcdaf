import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import { pipeline } from "node:stream";
import { usesProxies } from "../../platform/uses-proxies.ts";
import { isPrivateAddress, isPrivateHost } from "../../platform/private-address.ts";
import { ToolFailure } from "../tool.ts";

/** An answer whose body has not been read yet. */
export interface WebAnswer {
  readonly status: number;
  readonly statusText: string;
  /** A header; `null`: the server sent none. */
  header(name: "content-type" | "location"): string | null;
  /** The unpacked body. Read it or close the answer. */
  readonly body: AsyncIterable<Buffer>;
  close(): void;
}

/**
 * Sends one GET on a connection of its own, on Node's client: the built-in `fetch` does not tell which address it
 * connects to. A name that leads to a private address is refused, unless its spelling already said so or
 * `mayReachPrivate`. Rejects with a `ToolFailure` for that, else with the error; `signal` ends it. Behind a proxy, the
 * proxy looks names up.
 */
export async function requestPage(
  url: URL,
  options: {
    signal: AbortSignal;
    mayReachPrivate: boolean;
    /** The resolver of host names. */
    lookup?: LookupFunction;
  },
): Promise<WebAnswer> {
  const { signal, mayReachPrivate } = options;
  // Not imported: few runs need them, and reading every export of `node:http` loads all of Node's `fetch`.
  const find = options.lookup ?? process.getBuiltinModule("node:dns").lookup;
  const { request, Agent } = process.getBuiltinModule(
    url.protocol === "https:" ? "node:https" : "node:http",
  );
  const isOpen = mayReachPrivate || isPrivateHost(url.hostname);
  // A connection that was opened with more rights must not be reused.
  const agent = new Agent({
    keepAlive: false,
    ...(usesProxies() ? { proxyEnv: process.env } : {}),
  });
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, {
      agent,
      signal,
      lookup: isOpen ? find : publicOnly(url.hostname, find),
      headers: {
        accept: "text/markdown, text/html, text/*;q=0.9, */*;q=0.1",
        "accept-encoding": "gzip, br",
        "user-agent": "retinue",
      },
    });
    sent.once("response", resolve);
    sent.on("error", reject);
    sent.once("close", () => reject(new Error("the connection was closed")));
    sent.end();
  });
  return {
    status: message.statusCode ?? 0,
    statusText: message.statusMessage ?? "",
    header: (name) => message.headers[name] ?? null,
    body: unpacked(message),
    close: () => void message.destroy(),
  };
}

/** A lookup without the private addresses of a host. The name of a proxy is not filtered. */
function publicOnly(host: string, find: LookupFunction): LookupFunction {
  return (name, options, callback) => {
    find(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const all = Array.isArray(found) ? found : [];
      const open = name === host ? all.filter(({ address }) => !isPrivateAddress(address)) : all;
      const [first] = open;
      if (first === undefined) return callback(privateAddress(host, all[0]?.address), []);
      if (options.all === true) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

function privateAddress(host: string, address = "no address"): ToolFailure {
  return new ToolFailure(
    `${host} leads to ${address}, which is not public. Use another source, or report that a rule must name the host: WebFetch(domain:${host}).`,
  );
}

async function* unpacked(message: IncomingMessage): AsyncGenerator<Buffer> {
  const encoding = (message.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const unpack = unpackers.get(encoding);
  if (encoding !== "identity" && unpack === undefined) {
    message.destroy();
    throw new Error(`the server answers in ${encoding}, which was not requested`);
  }
  // Errors of both streams reach the reader of the last one.
  const last = unpack === undefined ? message : pipeline(message, unpack(), () => undefined);
  for await (const chunk of last) yield chunk as Buffer;
}

const unpackers: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map([
  ["gzip", () => process.getBuiltinModule("node:zlib").createGunzip()],
  ["x-gzip", () => process.getBuiltinModule("node:zlib").createGunzip()],
  ["br", () => process.getBuiltinModule("node:zlib").createBrotliDecompress()],
]);
