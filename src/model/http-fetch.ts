import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";

/**
 * As much of `fetch` as a provider's client library needs, on `node:http`: one POST, a body that is read as it arrives,
 * a signal that closes the socket. The built-in one puts web streams and copies between the socket and us, which for
 * hundreds of small streamed answers is the largest part of the work. Connections are kept and used again.
 */
export function createHttpFetch(): typeof fetch {
  const agents = {
    http: new http.Agent({ keepAlive: true }),
    https: new https.Agent({ keepAlive: true }),
  };
  return (input, init) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const secure = url.protocol === "https:";
      const options = {
        method: init?.method ?? "GET",
        headers: Object.fromEntries(new Headers(init?.headers)),
        agent: secure ? agents.https : agents.http,
        ...(init?.signal ? { signal: init.signal } : {}),
      };
      const request = (secure ? https : http).request(url, options);
      request.once("response", (message) => resolve(responseOf(message, url)));
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
