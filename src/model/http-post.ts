import type http from "node:http";
import { urlToHttpOptions } from "node:url";

/**
 * Sends one POST after the other to one address, on `node:http`: the answer's head is awaited, its body is Node's own
 * stream, and a signal closes the socket. It follows no redirect and unpacks nothing. The built-in `fetch` puts web
 * streams and copies in between, which for hundreds of small streamed answers is the largest part of the work.
 */
export function createPost(
  address: string,
  headers: Readonly<Record<string, string>>,
): (body: string, signal: AbortSignal) => Promise<http.IncomingMessage> {
  const url = new URL(address);
  // Not imported: that reads every export of `node:http`, and some of them load all of Node's `fetch`.
  const { request: open } =
    url.protocol === "https:"
      ? process.getBuiltinModule("node:https")
      : process.getBuiltinModule("node:http");
  const options = {
    ...urlToHttpOptions(url),
    method: "POST",
    // Node's own agents keep connections, and follow NODE_USE_ENV_PROXY.
    headers: { ...headers, "accept-encoding": "identity" },
  };
  return (body, signal) =>
    new Promise((resolve, reject) => {
      const request = open(options);
      closeOnAbort(request, signal);
      request.once("response", (message) => {
        const encoding = message.headers["content-encoding"] ?? "identity";
        if (encoding === "identity") resolve(message);
        else
          request.destroy(new Error(`the server answers in ${encoding}, which was not asked for`));
      });
      request.on("error", reject);
      request.end(body);
    });
}

function closeOnAbort(request: http.ClientRequest, signal: AbortSignal): void {
  const close = (): void => void request.destroy(signal.reason as Error);
  if (signal.aborted) close();
  signal.addEventListener("abort", close, { once: true });
  request.once("close", () => signal.removeEventListener("abort", close));
}
