import { createServer } from "node:net";
import { expect, test } from "vitest";
import { causeOf, listening, site } from "../../../test/support/http-site.ts";
import { fc } from "../../../test/support/properties.ts";
import { bodyOf, createHttpFetch } from "./http-fetch.ts";

const post = (body: string): RequestInit => ({
  method: "post",
  body,
  headers: new Headers({
    "content-type": "application/json",
    "x-api-key": "k",
    "x-stainless-os": "Linux",
  }),
});

const chunked = (...pieces: string[]): string =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nrequest-id: r1\r\n\r\n${pieces
    .map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`)
    .join("")}0\r\n\r\n`;

test("sends what is asked, with its length in bytes, and nothing about this machine", async () => {
  const { url, heard } = await site((socket) => socket.write(chunked("ok")));
  const response = await createHttpFetch()(url, post("zwölf €"));
  expect(response.status).toBe(200);
  expect(response.headers.get("Request-Id")).toBe("r1");
  expect(await response.text()).toBe("ok");
  const [head, body] = (heard[0] ?? "").split("\r\n\r\n");
  expect(head?.split("\r\n")).toEqual([
    "POST /v1/messages?beta=true HTTP/1.1",
    `host: ${new URL(url).host}`,
    "connection: keep-alive",
    "content-type: application/json",
    "x-api-key: k",
    "accept-encoding: identity",
    "content-length: 10",
  ]);
  expect(Buffer.from(body ?? "", "latin1").toString()).toBe("zwölf €");
});

test("requests one after the other share a connection, those at once do not", async () => {
  const { url, opened } = await site((socket) => socket.write(chunked("ok")));
  const fetch = createHttpFetch();
  for (let request = 0; request < 3; request += 1) await (await fetch(url, post("{}"))).text();
  expect(opened).toHaveLength(1);
  const answers = await Promise.all(
    [1, 2, 3].map(async () => (await fetch(url, post("{}"))).text()),
  );
  expect(answers).toEqual(["ok", "ok", "ok"]);
  expect(opened).toHaveLength(3);
});

test.each([
  ["closes", chunked("ok").replace("\r\n", "\r\nConnection: Close\r\n")],
  ["speaks HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"],
  ["says more than it should", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK"],
  ["tells the length of no body", "HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n"],
  ["sends chunks of no body", "HTTP/1.1 204 None\r\nTransfer-Encoding: chunked\r\n\r\n"],
])("a connection of a server that %s is not used again", async (_, reply) => {
  const { url, opened } = await site((socket) => socket.write(reply));
  const fetch = createHttpFetch();
  for (let request = 0; request < 2; request += 1)
    expect(await (await fetch(url, post("{}"))).text()).toBe(/ 200 OK/.test(reply) ? "ok" : "");
  expect(opened).toHaveLength(2);
});

test("a connection that the server closed, or spoke on unasked, is not used again", async () => {
  const { url, opened } = await site((socket, request) => {
    socket.write(chunked("ok"));
    if (request === 1) setImmediate(() => socket.end());
    if (request === 2) setImmediate(() => socket.write("HTTP/1.1 200 OK\r\n"));
  });
  const fetch = createHttpFetch();
  for (let request = 0; request < 3; request += 1) {
    expect(await (await fetch(url, post("{}"))).text()).toBe("ok");
    const closed = new Promise((resolve) => opened.at(-1)?.once("close", resolve));
    if (request < 2) await closed;
  }
  expect(opened).toHaveLength(3);
});

test("an answer that comes before the request is sent leaves nothing of it to the next", async () => {
  const big = "x".repeat(20_000_000);
  let first = true;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    if (first) {
      first = false;
      socket.pause();
      socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig");
    } else socket.once("data", (bytes) => socket.write(chunked(bytes.toString().slice(0, 4))));
  });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const fetch = createHttpFetch();
  const refused = await fetch(url, post(big));
  expect([refused.status, refused.ok, await refused.text()]).toEqual([413, false, "big"]);
  expect(await (await fetch(url, post("{}"))).text()).toBe("POST");
});

test.each([
  ["SSH-2.0-OpenSSH\r\n", "no answer in HTTP/1.1"],
  ["HTTP/2 200 OK\r\n\r\n", "no answer in HTTP/1.1"],
  ["HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "does not end as it must"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", "cannot be told"],
  ["HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok", "cannot be told"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok", "be told"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "cannot be told"],
  ["HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "cannot be told"],
  ["HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n", "header of the answer cannot be read"],
  ["HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "header of the answer cannot be read"],
  ["HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", "header of the answer cannot be read"],
  ["HTTP/1.1 101 Switching\r\n\r\n", "another protocol"],
  ["HTTP/1.1 150 Wait\r\nContent-Length: 17\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "cannot answer"],
  ["HTTP/1.1 103 Hints\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "cannot answer"],
  ["HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nok", "answers in gzip"],
  [`HTTP/1.1 200 OK\r\nA: ${"b".repeat(70_000)}`, "too long"],
  [`HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(20_000)}`, "too long"],
])("%j is no answer", async (reply, words) => {
  const { url, opened } = await site((socket) => socket.write(reply));
  expect(await causeOf(createHttpFetch()(url, post("{}")))).toContain(words);
  await new Promise((resolve) => opened[0]?.once("close", resolve));
});

test.each([
  ["5\r\nhello\r\n", "connection was closed"],
  ["5\r\nhelloX\r\n", "longer than it says"],
  ["5\r\nhello\r\nx\r\n", "does not say its size"],
  ["-1\r\n", "does not say its size"],
  ["5\nhello", "does not end as it must"],
])("a body that goes on with %j fails, and what came is told first", async (rest, words) => {
  const { url } = await site((socket) =>
    socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntold\r\n${rest}`),
  );
  const response = await createHttpFetch()(url, post("{}"));
  const told: string[] = [];
  const error = await new Promise<Error>((fail) =>
    bodyOf(response).read({
      data: (text) => told.push(text),
      end: () => fail(new Error("end")),
      fail,
    }),
  );
  expect(told.join("")).toMatch(/^told/);
  expect(error.message).toContain(words);
});

test("passing remarks, trailers, extensions of chunks, and bodies without a length are read", async () => {
  const replies = [
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200\r\nTRANSFER-ENCODING:Chunked\r\n\r\n2;a=b\r\nok\r\n000\r\nTrailer: x\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\r\nok",
    "HTTP/1.1 204 No Content\r\n\r\n",
  ];
  const { url } = await site((socket, request) => {
    socket.write(replies[request - 1] ?? "");
    if (request === 3) socket.end();
  });
  const fetch = createHttpFetch();
  const texts: string[] = [];
  for (const _ of replies) texts.push(await (await fetch(url, post("{}"))).text());
  expect(texts).toEqual(["ok", "ok", "ok", ""]);
});

test("lines are counted for each chunk: an answer can have any number of them", async () => {
  const pieces = Array.from({ length: 10_000 }, () => "x");
  const long = `\r\nA: ${"b".repeat(16_000)}\r\n`;
  const { url } = await site((socket) => {
    const [head, ...rest] = chunked(...pieces)
      .replace("\r\n", long)
      .split("\r\n\r\n");
    socket.write(`${head}\r\n\r\n1;${"a".repeat(1000)}`);
    const body = rest.join("\r\n\r\n").replace(/^1/, "").replace(/\r\n$/, "");
    setImmediate(() => socket.write(`${body}T: ${"c".repeat(16_000)}\r\n\r\n`));
  });
  expect(await (await createHttpFetch()(url, post("{}"))).text()).toBe(pieces.join(""));
});

test("an answer is the same however its bytes are cut", async () => {
  const texts = fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { maxLength: 5 });
  let reply: Buffer[] = [];
  const { url } = await site((socket) => {
    const next = (): void => {
      const piece = reply.shift();
      if (piece !== undefined) socket.write(piece, () => setImmediate(next));
    };
    next();
  });
  const fetch = createHttpFetch();
  await fc.assert(
    fc.asyncProperty(texts, fc.array(fc.nat(), { maxLength: 12 }), async (pieces, cuts) => {
      const bytes = Buffer.from(chunked(...pieces));
      const places = cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b);
      reply = [0, ...places].map((from, at) => bytes.subarray(from, places[at]));
      expect(await (await fetch(url, post("{}"))).text()).toBe(pieces.join(""));
    }),
    { numRuns: 200 },
  );
});

test("a signal closes the connection: before the answer, in its middle, and before anything is sent", async () => {
  const { url, opened } = await site((socket) =>
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
  );
  const fetch = createHttpFetch();
  const middle = new AbortController();
  const response = await fetch(url, { ...post("{}"), signal: middle.signal });
  const closed = new Promise((resolve) => opened[0]?.once("close", resolve));
  middle.abort(new Error("enough"));
  await expect(response.text()).rejects.toThrow("enough");
  await closed;
  const early = new AbortController();
  const pending = fetch(url, { ...post("{}"), signal: early.signal });
  early.abort(new Error("at once"));
  expect(await causeOf(pending)).toBe("at once");
  const never = fetch(url, { ...post("{}"), signal: AbortSignal.abort(new Error("never")) });
  expect(await causeOf(never)).toBe("never");
  expect(opened.length).toBeLessThanOrEqual(2);
});

test("a reader who has enough leaves the connection to the next request, if the rest comes soon", async () => {
  const { url, opened } = await site((socket, request) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
    if (request === 1) setImmediate(() => socket.write("rest"));
  });
  const fetch = createHttpFetch();
  bodyOf(await fetch(url, post("{}"))).finish();
  await new Promise((resolve) => setTimeout(resolve, 50));
  bodyOf(await fetch(url, post("{}"))).finish();
  expect(opened).toHaveLength(1);
  // Nothing more comes on it.
  await new Promise((resolve) => opened[0]?.once("close", resolve));
});

test("a header that could become two is refused before anything is sent", async () => {
  const { url, opened } = await site(() => undefined);
  const headers = new Map([["a", "b\r\nc: d"]]) as unknown as Headers;
  const sent = createHttpFetch()(url, { ...post("{}"), headers });
  expect(await causeOf(sent)).toContain("no header may have");
  expect(opened).toHaveLength(0);
});

test("nobody there is told in the words of the network", async () => {
  const { url, server } = await site(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  expect(await causeOf(createHttpFetch()(url, post("{}")))).toContain("ECONNREFUSED");
});
