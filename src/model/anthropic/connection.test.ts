import { getEventListeners, once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createServer as createSecureServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { certificateFor } from "../../../test/support/certificate.ts";
import { listening, site } from "../../../test/support/http-site.ts";
import { startNode } from "../../../test/support/started.ts";
import { collect, failureOf, hello, requestOf, serve, streamed } from "./calls-fixture.ts";
import { answerEvents } from "./server-fixture.ts";
import { createAnthropic } from "./anthropic.ts";
import { someTurns } from "../../../test/support/turns.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

const body = answerEvents([hello])
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("");
const headers = `Content-Type: text/event-stream\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
const whole = `HTTP/1.1 200 OK\r\n${headers}\r\n${body}`;

const modelAt = (url: string): ReturnType<typeof createAnthropic> =>
  createAnthropic({ apiKey: "sk-test", baseURL: new URL(url).origin });

test("requests one after the other share a connection, those at once do not", async () => {
  const { url, opened } = await site((socket) => socket.write(whole));
  const model = modelAt(url);
  for (const _ of [1, 2, 3, 4]) {
    expect((await collect(model)).answer.message.content).toEqual([hello]);
    await someTurns();
  }
  expect(opened).toHaveLength(1);
  await Promise.all([1, 2, 3].map(() => collect(model)));
  expect(opened).toHaveLength(3);
});

test("an answer whose end comes late leaves its connection to the next request, and is waited for no longer than a second", async () => {
  let finish = (): unknown => undefined;
  const { url, opened } = await site((socket, request) => {
    socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n`);
    socket.write(`${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`);
    if (request === 1) finish = () => socket.write("0\r\n\r\n");
  });
  const model = modelAt(url);
  await collect(model);
  await someTurns();
  finish();
  await someTurns();
  await collect(model);
  expect(opened).toHaveLength(1);
  // The second one never ends.
  await once(opened[0] as Socket, "close");
});

test("a thousand requests at once are answered, and leave nothing on the signal that they share", async () => {
  const { url } = await site((socket) => socket.write(whole));
  const { signal } = new AbortController();
  const model = modelAt(url);
  const answers = await Promise.all(Array.from({ length: 1000 }, () => collect(model, {}, signal)));
  expect(answers.every(({ answer }) => answer.stopReason === "end_turn")).toBe(true);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("requests that are aborted, fail or are cut off leave nothing on their signal, and no connection", async () => {
  const half = `HTTP/1.1 200 OK\r\n${headers}\r\n${body.slice(0, -5)}`;
  const { url, server } = await site((socket, request) => {
    if (request % 3 === 0) socket.destroy();
    else socket.write(request % 3 === 1 ? half : "nonsense\r\n\r\n");
  });
  const controller = new AbortController();
  const { signal } = controller;
  const model = modelAt(url);
  const asked = Array.from({ length: 90 }, () => collect(model, {}, signal));
  const ended = Promise.allSettled(asked);
  await Promise.race(asked).catch(() => undefined);
  controller.abort(new Error("enough"));
  expect((await ended).filter(({ status }) => status === "fulfilled")).toEqual([]);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  // Closing waits for all connections.
  await new Promise((resolve) => server.close(resolve));
});

test("an abort at any moment of an answer ends it quietly", async () => {
  const { url } = await site((socket) => socket.write(whole));
  const model = modelAt(url);
  for (let step = 0; step < 60; step += 1) {
    const controller = new AbortController();
    const asked = collect(model, {}, controller.signal);
    const reason = new Error("enough");
    for (let ticks = 0; ticks < step; ticks += 1) await setImmediate();
    controller.abort(reason);
    const error: unknown = await asked.then(
      () => reason,
      (one: unknown) => one,
    );
    expect(error).toBe(reason);
  }
});

test.each([
  ["HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"],
  ["nonsense\r\n\r\n"],
  [""],
])("%j is no answer", async (reply) => {
  const { url } = await site((socket) => (reply === "" ? socket.destroy() : socket.write(reply)));
  expect((await failureOf(modelAt(url))).code).toBe("connection");
});

test("a redirect is refused: the key goes to no other server", async () => {
  const other = await serve(() => streamed(answerEvents([hello])));
  const { url } = await site((socket) =>
    socket.write(
      `HTTP/1.1 307 Temporary Redirect\r\nLocation: ${other.server.url}/v1/messages\r\nContent-Length: 0\r\n\r\n`,
    ),
  );
  const { code, message } = await failureOf(modelAt(url));
  expect(code).toBe("invalid_request");
  expect(message).toContain("307");
  expect(other.server.requests).toHaveLength(0);
});

test("the request says its length in bytes, asks for no compression, and tells nothing about this machine", async () => {
  const { url, heard } = await site((socket) => socket.write(whole));
  await collect(modelAt(url), { system: "zwölf €" });
  const [head = "", sent = ""] = (heard[0] ?? "").split("\r\n\r\n");
  const lines = head.toLowerCase().split("\r\n");
  expect(lines[0]).toBe("post /v1/messages http/1.1");
  expect(lines).toContain(`content-length: ${sent.length}`);
  expect(lines).toContain("accept-encoding: identity");
  expect(lines).toContain("content-type: application/json");
  expect(head).not.toMatch(/stainless|linux|darwin|x64|arm64/i);
});

test("an account in the address is no part of what is asked for", async () => {
  const { url, heard } = await site((socket) => socket.write(whole));
  const { origin } = new URL(url);
  const baseURL = origin.replace("//", "//user:pass@");
  await collect(createAnthropic({ apiKey: "sk-test", baseURL }));
  expect(heard[0]).toMatch(/^POST \/v1\/messages HTTP\/1\.1\r\n/);
  expect(heard[0]?.match(/authorization: .*/gi)).toEqual(["authorization: Bearer sk-test"]);
});

/** The output of a program that asks a model at an address: the answer, or the reason why there is none. */
async function askedBy(
  url: string,
  env: NodeJS.ProcessEnv,
  after = "",
): Promise<{ code: number | null; stdout: string }> {
  const library = fileURLToPath(new URL("anthropic.ts", import.meta.url));
  const program = `
    const { subscribe } = await import("node:diagnostics_channel");
    const sockets = [];
    subscribe("net.client.socket", ({ socket }) => sockets.push(socket));
    const { createAnthropic } = await import(${JSON.stringify(library)});
    const model = createAnthropic({ apiKey: "k", baseURL: ${JSON.stringify(url)} });
    const stream = model.stream(${JSON.stringify(requestOf())}, new AbortController().signal);
    let step;
    try {
      do step = await stream.next(); while (!step.done);
      console.log(step.value.message.content[0].text);
    } catch (error) {
      console.log(error.message);
    }
    ${after}`;
  const none = { NO_PROXY: "", no_proxy: "", http_proxy: "", https_proxy: "", NODE_OPTIONS: "" };
  const { ended } = startNode(["--input-type=module", "-e", program], {
    cwd: process.cwd(),
    env: { ...process.env, ...none, ...env },
    stdin: "ignore",
  });
  const { code, stdout, stderr } = await ended;
  return { code, stdout: stdout.trim() || stderr };
}

test("a program whose requests are done ends, though its connection is still open", async () => {
  const { url } = await site((socket) => socket.write(whole));
  const after = `process.once("beforeExit", () => console.log(sockets.map(({ destroyed }) => !destroyed).join()));`;
  expect(await askedBy(new URL(url).origin, {}, after)).toEqual({ code: 0, stdout: "hello\ntrue" });
});

test("a request that is done leaves nothing in memory, whole or aborted", async () => {
  const { url } = await site((socket) => socket.write(whole));
  const library = fileURLToPath(new URL("anthropic.ts", import.meta.url));
  const text = { type: "text", text: "x".repeat(100_000) } as const;
  const program = `
    const { createAnthropic } = await import(${JSON.stringify(library)});
    const model = createAnthropic({ apiKey: "k", baseURL: ${JSON.stringify(new URL(url).origin)} });
    const request = () => (${JSON.stringify(requestOf())});
    const text = ${JSON.stringify(text)};
    const signal = new AbortController().signal;
    const ask = async (isWhole) => {
      const messages = [{ role: "user", content: [{ ...text, text: text.text + Math.random() }] }];
      for await (const _ of model.stream({ ...request(), messages }, signal)) if (!isWhole) break;
    };
    const held = async () => {
      for (const _ of [1, 2, 3]) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        gc();
      }
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    for (let number = 0; number < 20; number += 1) await ask(number % 2 === 0);
    const before = await held();
    for (let number = 0; number < 200; number += 1) await ask(number % 2 === 0);
    console.log(((await held()) - before) / 2 ** 20);`;
  const { ended } = startNode(["--expose-gc", "--input-type=module", "-e", program], {
    cwd: process.cwd(),
    env: process.env,
    stdin: "ignore",
  });
  const { code, stdout, stderr } = await ended;
  expect(code, stderr).toBe(0);
  // MiB; a client that kept all it sent would use twenty.
  expect(Number(stdout)).toBeLessThan(5);
});

test.each([{ NODE_USE_ENV_PROXY: "1" }, { NODE_OPTIONS: "--use-env-proxy" }])(
  "a proxy that the environment names is asked: %o",
  async (env) => {
    const proxy = await site((socket) => socket.write(whole));
    const HTTP_PROXY = new URL(proxy.url).origin;
    const { stdout } = await askedBy("http://provider.example", { ...env, HTTP_PROXY });
    expect(stdout).toBe("hello");
    expect(proxy.heard[0]).toMatch(/^POST http:\/\/provider\.example\/v1\/messages HTTP\/1\.1\r\n/);
  },
);

test.each([
  ["the address is excepted", { NODE_USE_ENV_PROXY: "1", NO_PROXY: "127.0.0.1" }],
  ["Node does not follow the variables", { NODE_USE_ENV_PROXY: "0" }],
])("no proxy is asked where %s", async (_, env) => {
  const proxy = await site((socket) => socket.write(whole));
  const provider = await site((socket) => socket.write(whole));
  const HTTP_PROXY = new URL(proxy.url).origin;
  const { stdout } = await askedBy(new URL(provider.url).origin, { ...env, HTTP_PROXY });
  expect(stdout).toBe("hello");
  expect([proxy.opened.length, provider.opened.length]).toEqual([0, 1]);
});

test("through a proxy a secure connection leads to the provider itself, and another is told nothing", async () => {
  const certificate = certificateFor("localhost");
  const authority = join(temporaryDirectory(), "cert.pem");
  await writeFile(authority, certificate.cert);
  let heard = 0;
  const provider = createSecureServer(certificate, (socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      heard += 1;
      socket.end(whole);
    });
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
  expect((await askedBy(`https://localhost:${port}`, env)).stdout).toBe("hello");
  expect(asked).toEqual([`CONNECT localhost:${port} HTTP/1.1`]);
  expect((await askedBy(`https://127.0.0.1:${port}`, env)).stdout).toContain("does not match");
  expect((await askedBy(`https://localhost:${port}`, { HTTPS_PROXY: "" })).stdout).toContain(
    "self-signed certificate",
  );
  expect(heard).toBe(1);
});

test("a proxy that refuses is an error", async () => {
  const proxy = await site((socket) => socket.end("HTTP/1.1 407 Who are you\r\n\r\n"));
  const env = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: new URL(proxy.url).origin };
  expect((await askedBy("https://provider.example", env)).stdout).toContain("407");
});
