import type { IncomingMessage } from "node:http";
import { urlToHttpOptions } from "node:url";
import type { Exchange } from "./exchange.ts";
import { headersOf, type Carrier, type HttpRequest } from "./http-request.ts";
import { PlainHeaders } from "./plain-headers.ts";

/** Whether Node's own clients follow `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
export function usesProxies(): boolean {
  const options = [...process.execArgv, ...(process.env["NODE_OPTIONS"] ?? "").split(/\s+/)];
  return process.env["NODE_USE_ENV_PROXY"] === "1" || options.includes("--use-env-proxy");
}

/** Node's own client, where there may be a proxy on the way: it knows how to ask one. */
export class NodeCarrier implements Carrier {
  readonly #url: URL;

  constructor(url: URL) {
    this.#url = url;
  }

  carry(request: HttpRequest, exchange: Exchange): void {
    const { method, body } = request;
    // Not imported: that reads every export of `node:http`, and some of them load all of Node's `fetch`.
    const { request: open } =
      this.#url.protocol === "https:"
        ? process.getBuiltinModule("node:https")
        : process.getBuiltinModule("node:http");
    const headers = Object.fromEntries(headersOf(request, this.#url));
    const sent = open({ ...urlToHttpOptions(this.#url), method, headers });
    exchange.carriedBy(() => void sent.destroy());
    sent.once("response", (message) => answer(message, exchange));
    sent.once("upgrade", (_, socket) => {
      socket.destroy();
      exchange.fail(new Error("the server wants another protocol"));
    });
    sent.on("error", (error) => exchange.fail(error));
    sent.end(body);
  }
}

function answer(message: IncomingMessage, exchange: Exchange): void {
  const headers = new PlainHeaders();
  for (const [name, values] of Object.entries(message.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  exchange.takeHead({ status, statusText, headers });
  message.on("data", (bytes: Buffer) => exchange.takeData(bytes));
  message.once("end", () => exchange.takeEnd());
  message.on("error", (error) => exchange.fail(error));
  message.once("close", () => exchange.fail(new Error("the connection was closed")));
}
