import { connect as connectPlainly, isIP, type Socket } from "node:net";
import { Connection, type Owner } from "./connection.ts";
import type { Exchange } from "./exchange.ts";
import { headerName, headerValue } from "./header-signs.ts";
import { headersOf, type Carrier, type HttpRequest } from "./http-request.ts";
import { longestIdleMs } from "./idle-ms.ts";

/** An address, and the connections to it: as many as there are requests at once, each used again while it is fresh. */
export class DirectCarrier implements Carrier {
  readonly #url: URL;
  /** The last is the one that was used last. */
  readonly #idle: Connection[] = [];
  #tidying: NodeJS.Timeout | null = null;
  /** Spares a secure connection half of its beginning. */
  #session: Buffer | undefined;
  /** Of the last request. They differ in their bodies: a library gives the same headers each time. */
  #head: Head | null = null;

  constructor(url: URL) {
    this.#url = url;
  }

  carry(request: HttpRequest, exchange: Exchange): void {
    const head = this.#headOf(request);
    const connection = this.#fresh() ?? new Connection(this.#open(), this.#owner);
    connection.carry(head, request.body, exchange);
  }

  #headOf(request: HttpRequest): string {
    const { headers, method, body } = request;
    if (this.#head === null || !isMadeOf(this.#head.parts, headers))
      this.#head = { parts: partsOf(headers), text: headOf(request, this.#url) };
    const length =
      body === "" && !sendsBody.has(method) ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
    return `${method} ${this.#head.text}${length}\r\n`;
  }

  #fresh(): Connection | undefined {
    for (;;) {
      const last = this.#idle.pop();
      if (last === undefined || last.isFresh) return last;
      last.close();
    }
  }

  readonly #owner: Owner = {
    idle: (connection) => {
      this.#idle.push(connection);
      this.#tidying ??= setTimeout(() => this.#tidy(), longestIdleMs).unref();
    },
    closed: (connection) => {
      const at = this.#idle.indexOf(connection);
      if (at !== -1) this.#idle.splice(at, 1);
    },
  };

  #tidy(): void {
    if (this.#tidying !== null) clearTimeout(this.#tidying);
    this.#tidying = null;
    for (const connection of this.#idle) if (!connection.isFresh) connection.close();
    if (this.#idle.length > 0)
      this.#tidying = setTimeout(() => this.#tidy(), longestIdleMs / 5).unref();
  }

  #open(): Socket {
    const { protocol, port, hostname } = this.#url;
    const host = hostname.replace(/^\[|\]$/g, "");
    const options = { host, noDelay: true, keepAlive: true, keepAliveInitialDelay: 1000 };
    if (protocol === "http:") return connectPlainly({ ...options, port: Number(port || 80) });
    // Loaded when it is needed.
    const { connect } = process.getBuiltinModule("node:tls");
    const socket = connect({
      ...options,
      port: Number(port || 443),
      ALPNProtocols: ["http/1.1"],
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(this.#session === undefined ? {} : { session: this.#session }),
    });
    socket.on("session", (session) => (this.#session = session));
    socket.on("error", () => (this.#session = undefined));
    return socket;
  }
}

interface Head {
  /** Names and values of the headers that it was made of. */
  readonly parts: readonly string[];
  /** All of a request before its body, but for the method in front and the length at the end. */
  readonly text: string;
}

function partsOf(headers: HttpRequest["headers"]): string[] {
  const parts: string[] = [];
  headers?.forEach((value, name) => parts.push(name, value));
  return parts;
}

function isMadeOf(parts: readonly string[], headers: HttpRequest["headers"]): boolean {
  let at = 0;
  let same = true;
  headers?.forEach((value, name) => {
    same &&= parts[at] === name && parts[at + 1] === value;
    at += 2;
  });
  return same && at === parts.length;
}

function headOf(request: HttpRequest, url: URL): string {
  const lines = [
    `${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    "connection: keep-alive",
  ];
  for (const [name, value] of headersOf(request, url)) {
    if (!headerName.test(name) || !headerValue.test(value))
      throw new TypeError(`The header '${name}' has a character that no header may have.`);
    lines.push(`${name}: ${value}`);
  }
  return `${lines.join("\r\n")}\r\n`;
}

/** Of these a server wants to know that nothing comes. */
const sendsBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
