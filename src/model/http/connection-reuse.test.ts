import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getEventListeners } from "node:events";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { causeOf, site } from "../../../test/support/http-site.ts";
import { startNode } from "../../../test/support/started.ts";
import { bodyOf, createHttpFetch } from "./http-fetch.ts";

const answer = (text: string, ...lines: string[]): string =>
  ["HTTP/1.1 200 OK", `Content-Length: ${text.length}`, ...lines, "", text].join("\r\n");

const post = { method: "POST", body: "{}" };

test("a connection that the server closes at that very moment: each request ends, and none is sent twice", async () => {
  let requests = 0;
  const { url } = await site((socket, request) => {
    requests = request;
    socket.write(answer(String(request)));
    // Now, soon, or when the next one is already there.
    if (request % 3 === 0) socket.end();
    else if (request % 3 === 1) setImmediate(() => socket.destroy());
    else setTimeout(() => socket.end(), request % 4);
  });
  const fetch = createHttpFetch();
  const texts: string[] = [];
  let broken = 0;
  for (let asked = 0; asked < 300; asked += 1) {
    if (asked % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    try {
      texts.push(await (await fetch(url, post)).text());
    } catch {
      broken += 1;
    }
  }
  expect(texts.length + broken).toBe(300);
  expect(new Set(texts).size).toBe(texts.length);
  expect(requests).toBeLessThanOrEqual(300);
  expect(texts.length).toBeGreaterThan(100);
});

/** The next connection that is opened in this process, as the one who opens it sees it. */
function nextSocket(): Promise<Socket> {
  return new Promise((resolve) => {
    const listen = (message: unknown): void => {
      unsubscribe("net.client.socket", listen);
      resolve((message as { socket: Socket }).socket);
    };
    subscribe("net.client.socket", listen);
  });
}

test.each([
  ["said goodbye", "end", (socket?: Socket) => socket?.end()],
  ["spoke unasked", "data", (socket?: Socket) => socket?.write(answer("wrong"))],
])("a connection whose server has %s is not tried", async (_, event, act) => {
  const { url, opened } = await site((socket) => socket.write(answer("ok")));
  const fetch = createHttpFetch();
  const next = nextSocket();
  await (await fetch(url, post)).text();
  const socket = await next;
  const heard = new Promise((resolve) => socket.once(event, resolve));
  act(opened[0]);
  // It is not closed yet then.
  await heard;
  expect(await (await fetch(url, post)).text()).toBe("ok");
  expect(opened).toHaveLength(2);
});

test.each([
  { hint: "timeout=1", connections: 2 },
  { hint: "max=100, timeout=0", connections: 2 },
  { hint: "timeout=60, max=100", connections: 1 },
])(
  "a server that keeps connections for '$hint' is asked over $connections",
  async ({ hint, connections }) => {
    const { url, opened } = await site((socket) =>
      socket.write(answer("ok", `Keep-Alive: ${hint}`)),
    );
    const fetch = createHttpFetch();
    for (let request = 0; request < 2; request += 1) await (await fetch(url, post)).text();
    expect(opened).toHaveLength(connections);
  },
);

test("a connection that nobody uses is closed", async () => {
  const { url, opened } = await site((socket) =>
    socket.write(answer("ok", "Keep-Alive: timeout=2")),
  );
  await (await createHttpFetch()(url, post)).text();
  await new Promise((resolve) => opened[0]?.once("close", resolve));
});

test("a thousand requests at once with one signal: all are answered, and nothing is left on it", async () => {
  const { url, opened } = await site((socket, request) => socket.write(answer(String(request))));
  const fetch = createHttpFetch();
  const { signal } = new AbortController();
  const ask = async (): Promise<string> => (await fetch(url, { ...post, signal })).text();
  const texts = await Promise.all(Array.from({ length: 1000 }, ask));
  expect(new Set(texts).size).toBe(1000);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  const connections = opened.length;
  await Promise.all(Array.from({ length: 1000 }, ask));
  expect(opened).toHaveLength(connections);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("requests that fail, are aborted or are cut off leave nothing on their signal, and no connection", async () => {
  const { url, server } = await site((socket, request) => {
    if (request % 3 === 0) socket.destroy();
    else if (request % 3 === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    else socket.write("nonsense\r\n\r\n");
  });
  const fetch = createHttpFetch();
  const controller = new AbortController();
  const { signal } = controller;
  const asked = Array.from({ length: 90 }, async () =>
    (await fetch(url, { ...post, signal })).text(),
  );
  const causes = Promise.all(asked.map(causeOf));
  await Promise.race(asked).catch(() => undefined);
  controller.abort(new Error("enough"));
  expect(await causes).not.toContain("no error");
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  // Which waits for all connections.
  await new Promise((resolve) => server.close(resolve));
});

test("who breaks off while a piece is told gets no more, and the connection is closed", async () => {
  const chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const { url, opened } = await site((socket) => socket.write(chunks));
  const controller = new AbortController();
  const response = await createHttpFetch()(url, { ...post, signal: controller.signal });
  const told: string[] = [];
  bodyOf(response).read({
    data: (text) => {
      told.push(text);
      controller.abort(new Error("enough"));
    },
    end: () => told.push("end"),
    fail: ({ message }) => told.push(message),
  });
  opened[0]?.write("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
  await new Promise((resolve) => opened[0]?.once("close", resolve));
  expect(told).toEqual(["one", "enough"]);
});

test("a program whose requests are done ends, though its connections are still open", async () => {
  const { url } = await site((socket) => socket.write(answer("ok")));
  const library = fileURLToPath(new URL("http-fetch.ts", import.meta.url));
  const program = `
    const { subscribe } = await import("node:diagnostics_channel");
    const { createHttpFetch } = await import(${JSON.stringify(library)});
    const sockets = [];
    subscribe("net.client.socket", ({ socket }) => sockets.push(socket));
    const fetch = createHttpFetch();
    const ask = async () => (await fetch(${JSON.stringify(url)}, { method: "POST", body: "{}" })).text();
    console.log((await Promise.all([ask(), ask()])).join());
    process.once("beforeExit", () => console.log(sockets.map(({ destroyed }) => !destroyed).join()));`;
  const { ended } = startNode(["--input-type=module", "-e", program], {
    cwd: process.cwd(),
    env: process.env,
    stdin: "ignore",
  });
  expect(await ended).toMatchObject({ code: 0, stdout: "ok,ok\ntrue,true\n" });
});
