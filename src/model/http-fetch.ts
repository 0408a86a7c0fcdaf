import type http from "node:http";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { urlToHttpOptions } from "node:url";
import { PlainHeaders } from "./plain-headers.ts";

/**
 * As much of `fetch` as a provider's client library needs, on `node:http`: one POST, a body that is read as it arrives,
 * a signal that closes the socket. The built-in one puts web streams and copies between the socket and us, which for
 * hundreds of small streamed answers is the largest part of the work. It follows no redirect and unpacks nothing.
 */
export function createHttpFetch(): (
  input: string | URL | Request,
  init?: HttpInit,
) => Promise<Response> {
  // A library asks one or two addresses, hundreds of times.
  const targets = new Map<string, Target>();
  return (input, init) => {
    const href = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
    const target = targets.get(href) ?? targetOf(href);
    targets.set(href, target);
    return new Promise((resolve, reject) => {
      // Node's own agents keep connections, and follow NODE_USE_ENV_PROXY.
      const request = target.open({
        ...target.options,
        method: init?.method ?? "GET",
        headers: headersOf(init),
      });
      const signal = init?.hangUp ?? init?.signal;
      if (signal) closeOnAbort(request, signal);
      request.once("response", (message) => {
        const encoding = message.headers["content-encoding"] ?? "identity";
        if (encoding === "identity") resolve(responseOf(message, href));
        else
          request.destroy(new Error(`the server answers in ${encoding}, which was not asked for`));
      });
      request.on("error", (error) => reject(new TypeError("fetch failed", { cause: error })));
      request.end(init?.body ?? undefined);
    });
  };
}

export interface HttpInit extends RequestInit {
  /** In the place of `signal`: a client library does not see it, and so leaves no listener on it. */
  hangUp?: AbortSignal;
}

/** As the client library gives them, without those that tell the provider about this machine (`x-stainless-os`, `-arch`, `-runtime` …). */
function headersOf(init: HttpInit | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  (init?.headers as Headers | undefined)?.forEach((value, name) => {
    if (!name.startsWith("x-stainless-")) headers[name] = value;
  });
  headers["accept-encoding"] = "identity";
  return headers;
}

function closeOnAbort(request: http.ClientRequest, signal: AbortSignal): void {
  const close = (): void => void request.destroy(signal.reason as Error);
  if (signal.aborted) close();
  signal.addEventListener("abort", close, { once: true });
  request.once("close", () => signal.removeEventListener("abort", close));
}

interface Target {
  open: typeof http.request;
  options: http.RequestOptions;
}

function targetOf(href: string): Target {
  const url = new URL(href);
  // Not imported: that reads every export of `node:http`, and some of them load all of Node's `fetch`.
  const { request } =
    url.protocol === "https:"
      ? process.getBuiltinModule("node:https")
      : process.getBuiltinModule("node:http");
  // Only what it reads: it makes several copies for each request.
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(url);
  return { open: request, options: { protocol, hostname, port, path, auth } };
}

/** The body of an answer, as Node's own stream. */
export function streamOf(response: Response): Readable {
  return response.body as unknown as http.IncomingMessage;
}

/** The members that client libraries use; the body is Node's own stream, which can be iterated like a web stream. */
function responseOf(message: http.IncomingMessage, url: string): Response {
  const status = message.statusCode ?? 0;
  const response = {
    status,
    statusText: message.statusMessage ?? "",
    ok: status >= 200 && status < 300,
    url,
    headers: new PlainHeaders(message.headers as Record<string, string>),
    body: message,
    text: () => text(message),
    json: async () => JSON.parse(await text(message)) as unknown,
  };
  return response as unknown as Response;
}
