import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";

/**
 * As much of `fetch` as a provider's client library needs, on `node:http`: one POST, a body that is read as it arrives,
 * a signal that closes the socket. The built-in one puts web streams and copies between the socket and us, which for
 * hundreds of small streamed answers is the largest part of the work. It follows no redirect and unpacks nothing.
 */
export function createHttpFetch(): typeof fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const secure = url.protocol === "https:";
      const options = {
        method: init?.method ?? "GET",
        // Node's own agents keep connections, and follow NODE_USE_ENV_PROXY.
        headers: {
          ...Object.fromEntries(new Headers(init?.headers)),
          "accept-encoding": "identity",
        },
        ...(init?.signal ? { signal: init.signal } : {}),
      };
      const request = (secure ? https : http).request(url, options);
      request.once("response", (message) => {
        const encoding = message.headers["content-encoding"] ?? "identity";
        if (encoding === "identity") resolve(responseOf(message, url));
        else
          request.destroy(new Error(`the server answers in ${encoding}, which was not asked for`));
      });
      request.on("error", (error) => reject(new TypeError("fetch failed", { cause: error })));
      request.end(init?.body ?? undefined);
    });
}

/** The members that client libraries use; the body is Node's own stream, which can be iterated like a web stream. */
function responseOf(message: http.IncomingMessage, url: URL): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const response = {
    status,
    statusText: message.statusMessage ?? "",
    ok: status >= 200 && status < 300,
    url: url.href,
    headers,
    body: message,
    text: () => text(message),
    json: async () => JSON.parse(await text(message)) as unknown,
  };
  return response as unknown as Response;
}
