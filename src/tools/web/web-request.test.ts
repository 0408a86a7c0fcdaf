import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { ToolFailure } from "../tool.ts";
import { requestPage } from "./web-request.ts";

const servers: Server[] = [];
let connections = 0;

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<number> {
  connections = 0;
  const server = createServer(listener).listen(0, "127.0.0.1");
  server.on("connection", () => (connections += 1));
  servers.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A lookup that gives every name these addresses, and the names it was asked for. */
function namesAt(...addresses: string[]): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = [];
  const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return {
    asked,
    lookup: (name, options, callback) => {
      asked.push(name);
      if (options.all === true) callback(null, all);
      else callback(null, addresses[0] ?? "", all[0]?.family ?? 4);
    },
  };
}

async function read(
  url: string,
  options: { lookup?: LookupFunction; mayReachPrivate?: boolean; signal?: AbortSignal } = {},
): Promise<string> {
  const answer = await requestPage(new URL(url), {
    signal: new AbortController().signal,
    mayReachPrivate: false,
    ...options,
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test("a public name that leads to this machine is refused before anything connects, and the rule that would allow it is named", async () => {
  const port = await serve((_, response) => response.end("secret"));
  for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0"]) {
    const { lookup, asked } = namesAt(address);
    const failure = await read(`http://rebound.example:${port}/`, { lookup }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ToolFailure);
    expect(String(failure)).toMatch(/not public.*WebFetch\(domain:rebound\.example\)/);
    expect(asked).toEqual(["rebound.example"]);
  }
  expect(connections).toBe(0);
});

test("a name that a rule allows to be private, and one that says so itself, are read", async () => {
  const port = await serve((_, response) => response.end("page"));
  const { lookup } = namesAt("127.0.0.1");
  expect(await read(`http://wiki.example:${port}/`, { lookup, mayReachPrivate: true })).toBe(
    "page",
  );
  expect(await read(`http://app.localhost:${port}/`, { lookup })).toBe("page");
  expect(await read(`http://127.0.0.1:${port}/`)).toBe("page");
});

test("of a name with public and private addresses only the public ones are tried", async () => {
  const port = await serve((_, response) => response.end("secret"));
  // This address is assigned to no network.
  const { lookup } = namesAt("127.0.0.1", "4000::1");
  const signal = AbortSignal.timeout(300);
  const failure = read(`http://mixed.example:${port}/`, { lookup, signal }).catch(String);
  expect(await failure).not.toMatch(/secret|not public/);
  expect(connections).toBe(0);
});

test("the name is looked up for each request, and no connection serves two", async () => {
  const port = await serve((_, response) => response.end("page"));
  const first = namesAt("127.0.0.1");
  const url = `http://wiki.example:${port}/`;
  await read(url, { ...first, mayReachPrivate: true });
  await read(url, { ...first, mayReachPrivate: true });
  expect([connections, first.asked.length]).toEqual([2, 2]);
  const second = namesAt("127.0.0.1");
  await expect(read(url, second)).rejects.toThrow("not public");
  expect([connections, second.asked.length]).toEqual([2, 1]);
});

test.each([
  ["gzip", gzipSync("packed")],
  ["br", brotliCompressSync("packed")],
  ["identity", Buffer.from("packed")],
])("an answer in %s is unpacked", async (encoding, body) => {
  const port = await serve((_, response) =>
    response.setHeader("content-encoding", encoding).end(body),
  );
  expect(await read(`http://127.0.0.1:${port}/`)).toBe("packed");
});

test("an answer in an encoding that was not asked for, or cut off in the middle, is an error", async () => {
  const odd = await serve((_, response) =>
    response.setHeader("content-encoding", "constructor").end("x"),
  );
  await expect(read(`http://127.0.0.1:${odd}/`)).rejects.toThrow("answers in constructor");
  const cut = await serve((_, response) => {
    response.setHeader("content-encoding", "gzip");
    response.end(gzipSync("packed").subarray(0, 12));
  });
  await expect(read(`http://127.0.0.1:${cut}/`)).rejects.toThrow("unexpected end of file");
});

test("a server that closes the connection or changes the protocol does not hang the call", async () => {
  const port = await serve((request) => {
    if (request.url === "/close") request.socket.destroy();
    else request.socket.end("HTTP/1.1 101 x\r\nupgrade: y\r\nconnection: upgrade\r\n\r\n");
  });
  await expect(read(`http://127.0.0.1:${port}/close`)).rejects.toThrow();
  await expect(read(`http://127.0.0.1:${port}/upgrade`)).rejects.toThrow();
});
