import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { causeOf, listening, site } from "../../../test/support/http-site.ts";
import { createHttpFetch, type HttpInit } from "./http-fetch.ts";

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** What a server hears of a request, line by line. */
async function heardOf(init: HttpInit, account = ""): Promise<string[]> {
  const { url, heard } = await site((socket) => socket.write(ok));
  await (await createHttpFetch()(url.replace("//", `//${account}`), init)).text();
  return (heard[0] ?? "").split("\r\n");
}

test.each([
  { method: "GET", lines: [] },
  { method: "delete", lines: [] },
  { method: "POST", lines: ["content-length: 0"] },
  { method: "GET", body: "ä", lines: ["content-length: 2"] },
])(
  "only where a body is expected an empty one is told: $method $lines",
  async ({ lines, ...init }) => {
    const heard = await heardOf(init);
    expect(heard.filter((line) => line.startsWith("content-length"))).toEqual(lines);
  },
);

test.each([
  ["GET / HTTP/1.1\r\nx: y\r\n\r\nGET", "no method"],
  ["HEAD", "no method"],
  ["CONNECT", "no method"],
  ["", "no method"],
])("%j is no method", async (method, words) => {
  const { url, opened } = await site(() => undefined);
  expect(await causeOf(createHttpFetch()(url, { method }))).toContain(words);
  expect(opened).toHaveLength(0);
});

test("a body that is no text is refused, not left out", async () => {
  const { url, opened } = await site(() => undefined);
  const asked = createHttpFetch()(url, { method: "POST", body: new Uint8Array([1]) });
  expect(await causeOf(asked)).toContain("must be a text");
  expect(opened).toHaveLength(0);
});

test.each(["ftp://127.0.0.1/", "file:///etc/hosts", "nowhere"])("%s is no address", async (url) => {
  expect(await causeOf(createHttpFetch()(url))).toMatch(/begins with http|Invalid URL/);
});

test("what has changed in the headers is sent with the next request", async () => {
  const { url, heard } = await site((socket) => socket.write(ok));
  const fetch = createHttpFetch();
  const headers = new Headers({ authorization: "Bearer old" });
  await (await fetch(url, { headers })).text();
  headers.set("authorization", "Bearer new");
  await (await fetch(url, { headers })).text();
  headers.delete("authorization");
  await (await fetch(url, { headers })).text();
  expect(heard.join("").match(/authorization: .*/g)).toEqual([
    "authorization: Bearer old",
    "authorization: Bearer new",
  ]);
  expect(heard.join("").match(/HTTP\/1\.1/g)).toHaveLength(3);
});

test("headers go as the bytes they are, bodies as UTF-8", async () => {
  const headers = new Headers({ "x-name": "J\u00FCrgen" });
  const heard = await heardOf({ method: "POST", headers, body: "J\u00FCrgen" });
  expect(heard).toContain("x-name: J\u00FCrgen");
  expect(heard).toContain("content-length: 7");
  expect(heard.at(-1)).toBe(Buffer.from("J\u00FCrgen").toString("latin1"));
});

test.each([
  ["user:pass@", "user:pass"],
  ["us%40er:p%C3%A4ss@", "us@er:p\u00E4ss"],
  ["user@", "user:"],
  [":pass@", ":pass"],
])("an account in the address (%s) is sent, and not as a part of it", async (account, plain) => {
  const heard = await heardOf({}, account);
  expect(heard).toContain(`authorization: Basic ${Buffer.from(plain).toString("base64")}`);
  expect(heard[0]).toBe("GET /v1/messages?beta=true HTTP/1.1");
  expect(heard[1]).toMatch(/^host: 127\.0\.0\.1:\d+$/);
  const own = await heardOf({ headers: new Headers({ authorization: "Bearer t" }) }, account);
  expect(own.filter((line) => line.startsWith("authorization"))).toEqual([
    "authorization: Bearer t",
  ]);
});

test("an address is sent in characters that cannot end its line", async () => {
  const { url, heard } = await site((socket) => socket.write(ok));
  const odd = `${new URL(url).origin}/a b\r\nx: y/\u00E4?q=\u2028 c&d=%0d%0a#part`;
  await (await createHttpFetch()(odd)).text();
  expect(heard[0]).toMatch(
    /^GET \/a%20bx:%20y\/%C3%A4\?q=%E2%80%A8%20c&d=%0d%0a HTTP\/1\.1\r\nhost: /,
  );
});

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

test.each([
  { listens: "127.0.0.1", asked: "localhost" },
  ...(hasIPv6 ? [{ listens: "::1", asked: "[::1]" }] : []),
])("a server on $listens is reached as $asked", async ({ listens, asked }) => {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      heard.push(...bytes.toString().split("\r\n"));
      socket.write(ok);
    });
  });
  const port = await listening(server, listens);
  expect(await (await createHttpFetch()(`http://${asked}:${port}/`)).text()).toBe("ok");
  expect(heard).toContain(`host: ${asked}:${port}`);
});
