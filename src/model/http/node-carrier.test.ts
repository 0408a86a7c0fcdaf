import { mkdtemp, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createSecureServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { certificateFor } from "../../../test/support/certificate.ts";
import { causeOf, listening, site } from "../../../test/support/http-site.ts";
import { startNode } from "../../../test/support/started.ts";
import { Exchange } from "./exchange.ts";
import { NodeCarrier } from "./node-carrier.ts";

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

function carried(url: string, signal: AbortSignal | null = null): Exchange {
  const exchange = new Exchange(signal);
  const headers = new Headers({ "x-api-key": "k" });
  new NodeCarrier(new URL(url)).carry({ method: "POST", headers, body: "{}" }, exchange);
  return exchange;
}

test("what Node's client brings is the same request and the same answer", async () => {
  const reply = ok.replace(
    "\r\n",
    "\r\nSet-Cookie: a\r\nX-One: 1\r\nset-cookie: b\r\nx-one: 2\r\n",
  );
  const { url, heard } = await site((socket) => socket.write(reply));
  const exchange = carried(url.replace("//", "//user:pass@"));
  const { status, statusText, headers } = await exchange.answered;
  expect([status, statusText, await exchange.text()]).toEqual([200, "OK", "ok"]);
  expect([headers.get("set-cookie"), headers.get("x-one")]).toEqual(["a, b", "1, 2"]);
  const lines = (heard[0] ?? "").toLowerCase().split("\r\n");
  expect(lines[0]).toBe("post /v1/messages?beta=true http/1.1");
  expect(lines).toContain("x-api-key: k");
  expect(lines).toContain("content-length: 2");
  expect(lines).toContain("accept-encoding: identity");
  expect(lines.filter((line) => line.startsWith("authorization"))).toHaveLength(1);
});

test("pieces are told as they come, and a body that breaks fails after them", async () => {
  const { url, opened } = await site((socket) =>
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
  );
  const exchange = carried(url);
  await exchange.answered;
  const told: string[] = [];
  await new Promise<void>((resolve) => {
    exchange.read({
      data: (text) => {
        told.push(text);
        // The next one is sent only when this one was told.
        if (text === "one") opened[0]?.write("3\r\ntwo\r\n");
        else opened[0]?.destroy();
      },
      end: () => resolve(void told.push("end")),
      fail: () => resolve(void told.push("fail")),
    });
    opened[0]?.write("3\r\none\r\n");
  });
  expect(told).toEqual(["one", "two", "fail"]);
});

test.each(["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])(
  "an abort after %j closes the connection",
  async (reply) => {
    const asked = Promise.withResolvers<void>();
    const { url, opened } = await site((socket) => {
      socket.write(reply);
      asked.resolve();
    });
    const controller = new AbortController();
    const exchange = carried(url, controller.signal);
    const text = exchange.answered.then(() => exchange.text());
    await asked.promise;
    if (reply !== "") await exchange.answered;
    const closed = new Promise((resolve) => opened[0]?.once("close", resolve));
    controller.abort(new Error("enough"));
    expect(await causeOf(text)).toBe("enough");
    await closed;
  },
);

test.each([
  ["HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
  ["nonsense\r\n\r\n"],
  [""],
])("%j is no answer", async (reply) => {
  const { url } = await site((socket) => (reply === "" ? socket.destroy() : socket.write(reply)));
  expect(await causeOf(carried(url).answered)).not.toBe("no error");
});

/** What a program that asks an address prints, with Node told to follow the variables of proxies. */
async function askedThrough(url: string, env: NodeJS.ProcessEnv): Promise<string> {
  const library = fileURLToPath(new URL("http-fetch.ts", import.meta.url));
  const program = `
    const { createHttpFetch } = await import(${JSON.stringify(library)});
    const asked = createHttpFetch()(${JSON.stringify(url)}, { method: "POST", body: "{}" });
    console.log(await asked.then((response) => response.text(), ({ cause }) => cause.message));`;
  const none = { NO_PROXY: "", no_proxy: "", http_proxy: "", https_proxy: "" };
  const { ended } = startNode(["--input-type=module", "-e", program], {
    cwd: process.cwd(),
    env: { ...process.env, ...none, ...env },
    stdin: "ignore",
  });
  const { stdout, stderr } = await ended;
  return stdout.trim() || stderr;
}

test.each([{ NODE_USE_ENV_PROXY: "1" }, { NODE_OPTIONS: "--use-env-proxy" }])(
  "a proxy that the environment names is asked: %o",
  async (env) => {
    const proxy = await site((socket) => socket.write(ok));
    const HTTP_PROXY = new URL(proxy.url).origin;
    const url = "http://provider.example/v1/messages";
    expect(await askedThrough(url, { ...env, HTTP_PROXY })).toBe("ok");
    expect(proxy.heard[0]).toMatch(/^POST http:\/\/provider\.example\/v1\/messages HTTP\/1\.1\r\n/);
  },
);

test.each([
  ["the address is excepted", { NODE_USE_ENV_PROXY: "1", NO_PROXY: "127.0.0.1" }],
  ["Node does not follow the variables", { NODE_USE_ENV_PROXY: "0" }],
])("no proxy is asked where %s", async (_, env) => {
  const proxy = await site((socket) => socket.write(ok));
  const provider = await site((socket) => socket.write(ok));
  const HTTP_PROXY = new URL(proxy.url).origin;
  expect(await askedThrough(provider.url, { ...env, HTTP_PROXY })).toBe("ok");
  expect([proxy.opened.length, provider.opened.length]).toEqual([0, 1]);
});

test("through a proxy a secure connection leads to the provider itself", async () => {
  const certificate = certificateFor("localhost");
  const authority = join(await mkdtemp(join(tmpdir(), "authority-")), "cert.pem");
  await writeFile(authority, certificate.cert);
  const provider = createSecureServer(certificate, (socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(ok));
  });
  const port = await listening(provider);
  const asked: string[] = [];
  const proxy = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (bytes) => {
      asked.push(bytes.toString().split("\r\n")[0] ?? "");
      const onward = connect(port, "127.0.0.1").on("error", () => undefined);
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
  });
  const env = {
    NODE_USE_ENV_PROXY: "1",
    HTTPS_PROXY: `http://127.0.0.1:${await listening(proxy)}`,
    NODE_EXTRA_CA_CERTS: authority,
  };
  expect(await askedThrough(`https://localhost:${port}/`, env)).toBe("ok");
  expect(asked).toEqual([`CONNECT localhost:${port} HTTP/1.1`]);
  expect(await askedThrough(`https://127.0.0.1:${port}/`, env)).toContain("does not match");
});

test("a proxy that refuses is an error", async () => {
  const proxy = await site((socket) => socket.end("HTTP/1.1 407 Who are you\r\n\r\n"));
  const env = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: new URL(proxy.url).origin };
  expect(await askedThrough("https://provider.example/", env)).toContain("407");
});
