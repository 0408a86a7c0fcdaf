import { createServer as createPlainServer, type Socket } from "node:net";
import {
  createServer,
  getCACertificates,
  setDefaultCACertificates,
  type SecureVersion,
  type TLSSocket,
} from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { certificateFor, type Certificate } from "../../../test/support/certificate.ts";
import { causeOf, listening } from "../../../test/support/http-site.ts";
import { createHttpFetch } from "./http-fetch.ts";

const ours = certificateFor("localhost", "127.0.0.1");
const ofAnother = certificateFor("elsewhere.example");
const unknown = certificateFor("localhost", "127.0.0.1");
const usual = getCACertificates("default");

beforeAll(() => setDefaultCACertificates([...usual, ours.cert, ofAnother.cert]));
afterAll(() => setDefaultCACertificates(usual));

interface SecureSite {
  url: string;
  heard: string;
  opened: TLSSocket[];
  reused: boolean[];
  /** Once all connections are. */
  closed: () => Promise<unknown>;
}

interface SecureOptions {
  certificate?: Certificate;
  version?: SecureVersion;
  protocols?: string[];
  reply?: string;
}

/** Answers whatever it hears. */
async function secureSite(options: SecureOptions = {}): Promise<SecureSite> {
  const { certificate = ours, version, protocols = ["h2", "http/1.1"], reply = ok } = options;
  const closed = (): Promise<unknown> => new Promise((resolve) => server.close(resolve));
  const site: SecureSite = { url: "", heard: "", opened: [], reused: [], closed };
  const limits = version === undefined ? {} : { minVersion: version, maxVersion: version };
  const server = createServer({ ...certificate, ...limits, ALPNProtocols: protocols }, (socket) => {
    site.opened.push(socket);
    site.reused.push(socket.isSessionReused());
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      site.heard += bytes.toString();
      socket.write(reply);
    });
  });
  server.on("tlsClientError", () => undefined);
  site.url = `https://127.0.0.1:${await listening(server)}/`;
  return site;
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
const post = { method: "POST", body: "{}", headers: new Headers({ "x-api-key": "secret" }) };

test.each(["127.0.0.1", "localhost"])(
  "a request to %s goes over TLS, in HTTP/1.1",
  async (host) => {
    const site = await secureSite();
    const fetch = createHttpFetch();
    const url = site.url.replace("127.0.0.1", host);
    for (let request = 0; request < 2; request += 1)
      expect(await (await fetch(url, post)).text()).toBe("ok");
    expect(site.heard).toContain("x-api-key: secret");
    expect(site.opened).toHaveLength(1);
    expect(site.opened[0]?.alpnProtocol).toBe("http/1.1");
    // An address is no name to ask for.
    expect(site.opened[0]?.servername).toBe(host === "localhost" ? "localhost" : false);
  },
);

const versions: SecureVersion[] = ["TLSv1.2", "TLSv1.3"];

test.each(versions)(
  "in %s a second connection goes on with the session of the first",
  async (version) => {
    const site = await secureSite({ version, reply: closing });
    const fetch = createHttpFetch();
    for (let request = 0; request < 2; request += 1)
      expect(await (await fetch(site.url, post)).text()).toBe("ok");
    expect(site.reused).toEqual([false, true]);
  },
);

test.each([
  ...versions.map((version) => ({
    version,
    certificate: ofAnother,
    words: "does not match certificate",
  })),
  ...versions.map((version) => ({
    version,
    certificate: unknown,
    words: "self-signed certificate",
  })),
])(
  "in $version a server is told nothing when it is the wrong one: $words",
  async ({ words, ...options }) => {
    const site = await secureSite(options);
    expect(await causeOf(createHttpFetch()(site.url, post))).toContain(words);
    await site.closed();
    expect(site.heard).toBe("");
  },
);

test("a server that speaks HTTP/2 alone is refused", async () => {
  const site = await secureSite({ protocols: ["h2"] });
  expect(await causeOf(createHttpFetch()(site.url, post))).toMatch(/no application protocol/i);
});

test.each([
  ["is cut", (socket: Socket) => socket.destroy(), /before secure TLS connection was established/],
  ["is ended", (socket: Socket) => socket.end(), /before secure TLS connection was established/],
  [
    "is no TLS",
    (socket: Socket) => socket.end("HTTP/1.1 400 Bad\r\n\r\n"),
    /wrong version number/i,
  ],
])("a beginning that %s is an error", async (_, reply, words) => {
  const server = createPlainServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => reply(socket));
  });
  const url = `https://127.0.0.1:${await listening(server)}/`;
  expect(await causeOf(createHttpFetch()(url, post))).toMatch(words);
});

test("a beginning that never comes can be aborted", async () => {
  const closed = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const server = createPlainServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => begun.resolve());
    socket.once("close", () => closed.resolve());
  });
  const url = `https://127.0.0.1:${await listening(server)}/`;
  const controller = new AbortController();
  const asked = createHttpFetch()(url, { ...post, signal: controller.signal });
  await begun.promise;
  controller.abort(new Error("enough"));
  expect(await causeOf(asked)).toBe("enough");
  await closed.promise;
});
