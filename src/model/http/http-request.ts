import type { Exchange } from "./exchange.ts";

/** What is asked of a server. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: Pick<Headers, "forEach" | "has"> | undefined;
  readonly body: string;
}

/** Brings requests to one address. */
export interface Carrier {
  carry: (request: HttpRequest, exchange: Exchange) => void;
}

/** As the client library gives them, without those that tell the provider about this machine (`x-stainless-os`, `-arch`, `-runtime` …), and without those that are the carrier's. */
export function headersOf(
  { headers }: HttpRequest,
  { username, password }: URL,
): [string, string][] {
  const all: [string, string][] = [];
  headers?.forEach((value, name) => {
    if (!name.startsWith("x-stainless-") && !ofCarrier.has(name)) all.push([name, value]);
  });
  if ((username !== "" || password !== "") && headers?.has("authorization") !== true) {
    const account = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    all.push(["authorization", `Basic ${Buffer.from(account).toString("base64")}`]);
  }
  all.push(["accept-encoding", "identity"]);
  return all;
}

const ofCarrier: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
]);
