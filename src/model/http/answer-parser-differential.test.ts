import { request } from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answers, bytesOf, cut, textOf } from "../../../test/support/http-answers.ts";
import { damages } from "../../../test/support/http-damage.ts";
import { fc } from "../../../test/support/properties.ts";
import { createHttpFetch } from "./http-fetch.ts";

// What ours takes for an answer, Node's own client takes for the same one: it may be stricter, nowhere laxer.

let server: Server;
let url = "";
/** What each connection hears, piece by piece, before it is closed. */
let script: readonly Buffer[] = [];

beforeAll(async () => {
  server = createServer((socket) => {
    socket.setNoDelay().on("error", () => undefined);
    socket.once("data", () => say(socket, [...script]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(() => void server.close());

function say(socket: Socket, pieces: Buffer[]): void {
  const piece = pieces.shift();
  if (piece === undefined || socket.destroyed) socket.end();
  else socket.write(piece, () => setImmediate(() => say(socket, pieces)));
}

/** `null` when there is no answer. */
type Understood = { status: number; text: string; headers: Record<string, string> } | null;

async function askWithOurs(): Promise<Understood> {
  try {
    const { status, headers, text } = await createHttpFetch()(url, { method: "POST", body: "{}" });
    return { status, text: await text(), headers: Object.fromEntries(headers) };
  } catch {
    return null;
  }
}

function askWithNodes(): Promise<Understood> {
  return new Promise((resolve) => {
    const sent = request(url, { method: "POST", agent: false });
    let isWhole = (): boolean => false;
    sent.once("response", (message) => {
      // What comes after a whole answer is an error of the connection, not of the answer.
      isWhole = () => message.complete;
      let text = "";
      message.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      message.once("error", () => resolve(null));
      message.once("end", () => {
        const all = Object.entries(message.headersDistinct);
        const headers = Object.fromEntries(all.map(([name, values]) => [name, values?.join(", ")]));
        resolve({
          status: message.statusCode ?? 0,
          text,
          headers: headers as Record<string, string>,
        });
      });
    });
    sent.on("error", () => isWhole() || resolve(null));
    sent.end("{}");
  });
}

async function ask(pieces: readonly Buffer[]): Promise<[ours: Understood, nodes: Understood]> {
  script = pieces;
  return Promise.all([askWithOurs(), askWithNodes()]);
}

const cuts = fc.array(fc.nat(), { maxLength: 6 });

test("every framing is read alike, however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(answers, cuts, async (answer, places) => {
      const [ours, nodes] = await ask(cut(bytesOf(answer), places));
      expect(ours).toEqual(nodes);
      expect(ours?.text).toBe(textOf(answer));
    }),
    { numRuns: 300 },
  );
});

test("whatever was done to an answer: what ours takes, Node's takes for the same", async () => {
  const seen = { taken: 0, refused: 0 };
  const changes = fc.array(damages, { minLength: 1, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(answers, changes, cuts, async (answer, list, places) => {
      const bytes = list.reduce((before, damage) => damage(before), bytesOf(answer));
      const [ours, nodes] = await ask(cut(bytes, places));
      seen[ours === null ? "refused" : "taken"] += 1;
      if (ours !== null) expect(ours, JSON.stringify(bytes.toString("latin1"))).toEqual(nodes);
    }),
    { numRuns: 1000 },
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(150);
});

const ok = "HTTP/1.1 200 OK\r\n";

test.each([
  [
    "a chunk's size is followed by a blank",
    `${ok}Transfer-Encoding: chunked\r\n\r\n2 \r\nok\r\n0\r\n\r\n`,
  ],
  [
    "an extension of a chunk is no word",
    `${ok}Transfer-Encoding: chunked\r\n\r\n2;\x01\r\nok\r\n0\r\n\r\n`,
  ],
  [
    "an extension of a chunk is endless",
    `${ok}Transfer-Encoding: chunked\r\n\r\n2;${"a".repeat(20_000)}\r\nok\r\n0\r\n\r\n`,
  ],
  [
    "a trailer says how long the answer is",
    `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 3\r\n\r\n`,
  ],
  [
    "a remark before it has an impossible length",
    `HTTP/1.1 103 Hints\r\nContent-Length: 1 2\r\n\r\n${ok}\r\n`,
  ],
  [
    "a remark before it closes the connection",
    `HTTP/1.1 103 Hints\r\nConnection: close\r\n\r\n${ok}\r\n`,
  ],
  ["it has no body and an impossible length", "HTTP/1.1 204 None\r\nContent-Length: -1\r\n\r\n"],
  [
    "its headers are longer than Node allows",
    `${ok}Content-Length: 0\r\na: ${"b".repeat(20_000)}\r\n\r\n`,
  ],
])("no answer for either: %s", async (_, text) => {
  expect(await ask([Buffer.from(text, "latin1")])).toEqual([null, null]);
});

test.each([
  ["an empty line comes first", `\r\n${ok}Content-Length: 2\r\n\r\nok`],
  ["it is HTTP/2.0", "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok"],
  ["it is packed for the way", `${ok}Transfer-Encoding: gzip\r\n\r\nok`],
  ["a tab comes after `chunked`", `${ok}Transfer-Encoding: chunked\t\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
  [
    "HTTP/1.0 has chunks",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
  ],
  [
    "a chunk's size has thirteen digits",
    `${ok}Transfer-Encoding: chunked\r\n\r\n0000000000002\r\nok\r\n0\r\n\r\n`,
  ],
  ["the body is packed", `${ok}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok`],
])("only ours refuses, on purpose: %s", async (_, text) => {
  const [ours, nodes] = await ask([Buffer.from(text, "latin1")]);
  expect(ours).toBeNull();
  expect(nodes).not.toBeNull();
});
