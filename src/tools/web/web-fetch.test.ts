import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ToolBench } from "../shell/shell-tools-fixture.ts";
import { webFetchTool } from "./web-fetch.ts";

let bench: ToolBench;
const servers: Server[] = [];

beforeEach(async () => {
  bench = await ToolBench.create();
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await bench[Symbol.asyncDispose]();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function servePage(type: string | undefined, body: string | Buffer): Promise<string> {
  return serve((_, response) => {
    if (type !== undefined) response.setHeader("content-type", type);
    response.end(body);
  });
}

function read(url: string, options: { offset?: number; signal?: AbortSignal } = {}) {
  const { signal, ...input } = options;
  return bench.call(
    webFetchTool,
    { url, prompt: "the answer", ...input },
    signal === undefined ? {} : { signal },
  );
}

describe("a page", () => {
  test("in HTML comes as Markdown under the question, without its scripts", async () => {
    const url = await servePage(
      "text/html; charset=utf-8",
      "<html><head><title>t</title></head><script>if (a < b) alert('<p>no</p>')</script><h1>Größe</h1><p>a <b>b</b> <a href='/x'>c</a></p>",
    );
    const result = "# the answer\n\n# Größe\n\na **b** [c](/x)";
    expect(await read(url)).toEqual({
      content: result,
      data: {
        bytes: expect.any(Number),
        code: 200,
        codeText: "OK",
        result,
        durationMs: expect.any(Number),
        url,
      },
    });
  });

  test.each([
    ["text/plain", "<b>plain</b>"],
    ["application/json", '{"a":1}'],
    ["application/problem+json", '{"a":1}'],
    [undefined, "no type"],
  ])("of the type %s comes as it is", async (type, body) => {
    expect((await read(await servePage(type, body))).content).toBe(`# the answer\n\n${body}`);
  });

  test("in another character set is decoded", async () => {
    const url = await servePage("text/plain; charset=iso-8859-1", Buffer.from([0x47, 0xf6]));
    expect((await read(url)).content).toBe("# the answer\n\nGö");
  });

  test.each([
    ["image/png", "x"],
    ["application/octet-stream", "x"],
    [undefined, "a\0b"],
  ])("that is no text (%s) is refused", async (type, body) => {
    expect(await read(await servePage(type, body))).toMatchObject({
      isError: true,
      content: expect.stringContaining("This is not text"),
    });
  });

  test("that is long comes in parts which join to the whole", async () => {
    const text = Array.from({ length: 30_000 }, (_, index) => `${index}`).join(" ");
    const url = await servePage("text/plain", text);
    const parts: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { content } = await read(url, { offset });
      const [, part = "", next] =
        /^# the answer\n\n(.*?)(?:\n\[.* repeat with offset (\d+)\.\])?$/s.exec(content) ?? [];
      parts.push(part);
      offset = next === undefined ? undefined : Number(next);
    }
    expect(parts.length).toBe(2);
    expect(parts.join("")).toBe(text);
    expect(await read(url, { offset: text.length })).toMatchObject({ isError: true });
  });

  test("of a megabyte of HTML is converted with all its text", async () => {
    const url = await servePage(
      "text/html",
      "<p>hello <a href='x'>link</a> world</p>".repeat(25_000),
    );
    const { content } = await read(url, { offset: 500_000 });
    expect(content).toContain("hello [link](x) world\n\nhello [link](x) world");
    expect(content).not.toContain("To read on");
  });

  test("larger than ten megabytes is refused", async () => {
    const url = await servePage("text/plain", Buffer.alloc(10_000_001, "x"));
    expect(await read(url)).toMatchObject({
      isError: true,
      content: expect.stringContaining("larger than 10 MB"),
    });
  });
});

test("a small answer that unpacks to more than ten megabytes is refused", async () => {
  const url = await serve((_, response) =>
    response
      .setHeader("content-encoding", "gzip")
      .setHeader("content-type", "text/plain")
      .end(gzipSync(Buffer.alloc(10_000_001, "x"))),
  );
  expect(await read(url)).toMatchObject({
    isError: true,
    content: expect.stringContaining("larger than 10 MB"),
  });
});

describe("a redirect", () => {
  test("on the same host is followed", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/") response.writeHead(302, { location: "/page" }).end();
      else response.end("arrived");
    });
    expect((await read(url)).content).toContain("arrived");
  });

  test("to another host is reported and not followed", async () => {
    let visits = 0;
    const other = await serve((_, response) => {
      visits += 1;
      response.end("secret");
    });
    const url = await serve((_, response) =>
      response.writeHead(301, { location: `${other}/next` }).end(),
    );
    const output = await read(url);
    expect(output).toMatchObject({
      content: expect.stringContaining(`${other}/next`),
      data: { code: 301 },
    });
    expect(visits).toBe(0);
  });

  test("to anything but a web page is a failure", async () => {
    const url = await serve((_, response) =>
      response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    );
    expect(await read(url)).toMatchObject({
      isError: true,
      content: expect.stringContaining("not a web address"),
    });
  });

  test("in a circle ends", async () => {
    let visits = 0;
    const url = await serve((_, response) => {
      visits += 1;
      response.writeHead(302, { location: "/" }).end();
    });
    expect(await read(url)).toMatchObject({
      isError: true,
      content: expect.stringContaining("more than 10 times"),
    });
    expect(visits).toBe(11);
  });
});

describe("a failure", () => {
  test("of the server is an error with its code", async () => {
    const url = await serve((_, response) => response.writeHead(404).end("gone"));
    expect(await read(url)).toMatchObject({
      isError: true,
      content: expect.stringContaining("HTTP 404 Not Found"),
      data: { code: 404, codeText: "Not Found" },
    });
  });

  test("to connect names the cause", async () => {
    const url = await servePage("text/plain", "");
    const server = servers.pop();
    server?.close();
    await once(server as Server, "close");
    expect(await read(url)).toMatchObject({
      isError: true,
      content: expect.stringContaining("ECONNREFUSED"),
    });
  });

  test.each([
    "ftp://example.invalid/",
    "file:///etc/passwd",
    "example.com",
    "https://user:password@example.invalid/",
  ])("is the answer to the address %s, before anything is sent", async (url) => {
    expect(await read(url)).toMatchObject({
      isError: true,
      content: expect.stringMatching(/not a web address|without them/),
    });
  });

  test("shows that http was upgraded to https", async () => {
    expect((await read("http://host.invalid/page")).content).toContain(
      "https://host.invalid/page could not be read",
    );
  });
});

describe("an abort", () => {
  test("while the server does not answer ends the call with its reason", async () => {
    const stop = new AbortController();
    const url = await serve(() => stop.abort("enough"));
    await expect(read(url, { signal: stop.signal })).rejects.toBe("enough");
  });

  test("while the page is converted ends the call with its reason", async () => {
    const url = await servePage("text/html", `${"<div>".repeat(20_000)}x`);
    const stop = new AbortController();
    const call = read(url, { signal: stop.signal });
    setTimeout(() => stop.abort("enough"), 500);
    await expect(call).rejects.toBe("enough");
  });
});
