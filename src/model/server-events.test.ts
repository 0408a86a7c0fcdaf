import { expect, test } from "vitest";
import { Exchange } from "./http/exchange.ts";
import { ServerEventParser, ServerEvents, type ServerEvent } from "./server-events.ts";

const text =
  'event: message_start\ndata: {"a": "ü😀"}\n\n: a comment\r\nevent: ping\r\ndata: {}\r\n\r\ndata:two\ndata: lines\nid: 1\nretry: 5\n\nevent: nothing\n\nevent\rdata\r\rdata: last\n\n';
const events: ServerEvent[] = [
  { name: "message_start", data: '{"a": "ü😀"}' },
  { name: "ping", data: "{}" },
  { name: "message", data: "two\nlines" },
  { name: "message", data: "" },
  { name: "message", data: "last" },
];

test("reads fields, comments, every kind of line end and data on several lines", () => {
  expect(new ServerEventParser().push(text)).toEqual(events);
});

test("a byte order mark is no part of the first event, and a lone CR at the end is a line end", () => {
  const parser = new ServerEventParser();
  expect(parser.push("")).toEqual([]);
  expect(parser.push("\uFEFFevent: a\rdata: b\r\r")).toEqual([]);
  expect(parser.end()).toEqual([{ name: "a", data: "b" }]);
});

test("an event in very many pieces takes no longer than its length", () => {
  const parser = new ServerEventParser();
  parser.push("data: ");
  for (let piece = 0; piece < 20_000; piece += 1) parser.push("x".repeat(1000));
  expect(parser.push("\n\n")[0]?.data).toHaveLength(20_000_000);
});

test("an event is complete with its blank line, not before", () => {
  const parser = new ServerEventParser();
  expect(parser.push("data: a\n")).toEqual([]);
  expect(parser.push("\r")).toEqual([]);
  expect(parser.push("\n")).toEqual([{ name: "message", data: "a" }]);
});

async function collect(body: Exchange, all: ServerEvent[] = []): Promise<ServerEvent[]> {
  const arriving = new ServerEvents(body);
  for (;;) {
    const batch = await arriving.next();
    if (batch === undefined) return all;
    all.push(...batch);
  }
}

test("gives the same events wherever the bytes are cut", async () => {
  const bytes = Buffer.from(text);
  const collected = async (pieces: Buffer[]): Promise<ServerEvent[]> => {
    const body = new Exchange(null);
    const all = collect(body);
    for (const piece of pieces) {
      body.takeData(piece);
      await Promise.resolve();
    }
    body.takeEnd();
    return await all;
  };
  for (let at = 0; at <= bytes.length; at += 1)
    expect(await collected([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(events);
  expect(await collected([...bytes].map((byte) => Buffer.from([byte])))).toEqual(events);
});

test("what arrived before a fault comes out before the fault", async () => {
  const body = new Exchange(null);
  body.answered.catch(() => undefined);
  body.takeData(Buffer.from("data: a\n\n"));
  setImmediate(() => body.fail(new Error("torn")));
  const all: ServerEvent[] = [];
  await expect(collect(body, all)).rejects.toThrow("torn");
  expect(all).toEqual([{ name: "message", data: "a" }]);
});
