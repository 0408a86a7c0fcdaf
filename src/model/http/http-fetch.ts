import type { AnswerHead } from "./answer-parser.ts";
import { Exchange } from "./exchange.ts";
import type { Carrier, HttpRequest } from "./http-request.ts";
import { NodeCarrier, usesProxies } from "./node-carrier.ts";
import { DirectCarrier } from "./direct-carrier.ts";

export interface HttpInit extends RequestInit {
  /** In the place of `signal`: a client library does not see it, and so leaves no listener on it. */
  hangUp?: AbortSignal;
}

/**
 * As much of `fetch` as a provider's client library needs, on plain sockets: a text that is sent, a text that is read as it
 * arrives, a signal that closes the connection. It follows no redirect and unpacks nothing. Node's own clients put streams,
 * copies and a dozen listeners between a socket and us, which was a sixth of what a request took.
 */
export function createHttpFetch(): (
  input: string | URL | Request,
  init?: HttpInit,
) => Promise<Response> {
  // A library asks one or two addresses, hundreds of times.
  const carriers = new Map<string, Carrier>();
  return async (input, init) => {
    const href = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
    const carrier = carriers.get(href) ?? carrierTo(new URL(href));
    carriers.set(href, carrier);
    const exchange = new Exchange(init?.hangUp ?? init?.signal ?? null);
    try {
      if (!exchange.isOver) carrier.carry(requestOf(init), exchange);
    } catch (error) {
      exchange.fail(error as Error);
    }
    const head = await exchange.answered;
    const encoding = head.headers.get("content-encoding") ?? "identity";
    if (encoding === "identity") return responseOf(head, exchange, href);
    exchange.destroy();
    const cause = new Error(`the server answers in ${encoding}, which was not asked for`);
    throw new TypeError("fetch failed", { cause });
  };
}

function carrierTo(url: URL): Carrier {
  if (!/^https?:$/.test(url.protocol))
    throw new TypeError(`An address begins with http: or https:, not with ${url.protocol}`);
  return usesProxies() ? new NodeCarrier(url) : new DirectCarrier(url);
}

function requestOf(init: HttpInit | undefined): HttpRequest {
  const { headers, body } = init ?? {};
  const method = (init?.method ?? "GET").toUpperCase();
  if (!methods.has(method))
    throw new TypeError(`${JSON.stringify(method)} is no method to ask with.`);
  if (typeof (body ?? "") !== "string")
    throw new TypeError("The body of a request must be a text.");
  return { method, headers: headers as Headers | undefined, body: (body as string | null) ?? "" };
}

/** Answers to others (`HEAD`, `CONNECT`) end elsewhere than they say. */
const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** The body of an answer that `createHttpFetch` gave. */
export function bodyOf(response: Response): Exchange {
  return response.body as unknown as Exchange;
}

/** The members that client libraries use. */
function responseOf(head: AnswerHead, exchange: Exchange, url: string): Response {
  const { status } = head;
  const response = {
    ...head,
    ok: status >= 200 && status < 300,
    url,
    body: exchange,
    text: () => exchange.text(),
    json: async () => JSON.parse(await exchange.text()) as unknown,
  };
  return response as unknown as Response;
}
