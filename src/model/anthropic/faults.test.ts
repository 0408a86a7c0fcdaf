import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { collect, failureOf, hello, requestOf, serve, streamed } from "./calls-fixture.ts";
import { answerEvents, type ReceivedRequest, type WireEvent } from "./server-fixture.ts";
import { createAnthropic } from "./anthropic.ts";
import type { Model, ModelDelta } from "../model.ts";

describe("a fault", () => {
  const said = "what the server said";
  test.each([
    [400, "invalid_request", said],
    [401, "unauthorized", "Check the option apiKey"],
    [403, "unauthorized", "one that may use a-model"],
    [404, "invalid_request", "no model 'a-model'"],
    [408, "connection", said],
    [409, "server_error", said],
    [413, "invalid_request", said],
    [422, "invalid_request", said],
    [429, "rate_limited", said],
    [500, "server_error", said],
    [503, "server_error", said],
    [529, "overloaded", said],
  ])("with status %i is %s, in words, after one request", async (status, code, words) => {
    const error = { type: "some_error", message: said };
    const { model, server } = await serve(() => ({ kind: "refuse", status, error }));
    const failure = await failureOf(model);
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(words);
    expect(failure.message).toContain(said);
    expect(failure.message).not.toContain("sk-test");
    expect(failure.retryAfterMs).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "0.25" }, 250],
    [{ "retry-after": "9", "retry-after-ms": "1200" }, 1200],
    [{ "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
  ])("that asks to wait with %j says so", async (headers, expected) => {
    const error = { type: "rate_limit_error", message: "slow down" };
    const { model } = await serve(() => ({ kind: "refuse", status: 429, error, headers }));
    expect((await failureOf(model)).retryAfterMs).toBe(expected);
  });

  test("that asks to wait until a date says how long that is", async () => {
    const headers = { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() };
    const error = { type: "overloaded_error", message: "busy" };
    const { model } = await serve(() => ({ kind: "refuse", status: 529, error, headers }));
    const { retryAfterMs } = await failureOf(model);
    expect(retryAfterMs).toBeGreaterThan(1_800_000);
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });

  test.each([
    ["overloaded_error", "overloaded"],
    ["rate_limit_error", "rate_limited"],
    ["api_error", "server_error"],
    ["weird_error", "stream_broken"],
  ])("in the middle of an answer, %s, is %s, after what had arrived", async (type, code) => {
    const error = { type: "error", error: { type, message: said } };
    const { model } = await serve(() => streamed([...answerEvents([hello]).slice(0, 4), error]));
    const failure = await failureOf(model);
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(said);
    expect(failure.deltas).toEqual([{ type: "text", text: "hello" }]);
  });

  test.each([
    ["ends without its last event", (events: WireEvent[]) => streamed(events.slice(0, -1))],
    ["is cut", (events: WireEvent[]) => ({ ...streamed(events.slice(0, 4)), end: "cut" as const })],
    ["is empty", () => streamed([])],
  ])("is stream_broken when the stream %s", async (_title, play) => {
    const { model } = await serve(() => play(answerEvents([hello])));
    expect((await failureOf(model)).code).toBe("stream_broken");
  });

  test("after the last event does not matter: the answer is whole", async () => {
    const { model } = await serve(() => ({ ...streamed(answerEvents([hello])), end: "cut" }));
    expect((await collect(model)).answer.message.content).toEqual([hello]);
  });

  test("of the connection is told from one of the server", async () => {
    const { model, server } = await serve(() => ({ kind: "drop" }));
    expect((await failureOf(model)).code).toBe("connection");
    expect(server.requests).toHaveLength(1);
    await server[Symbol.asyncDispose]();
    const failure = await failureOf(model);
    expect(failure.code).toBe("connection");
    expect(failure.message).toContain("ECONNREFUSED");
  });
});

describe("an abort", () => {
  const reason = new Error("enough");
  const long = answerEvents([{ type: "text", text: "one two three four" }]);

  test("before the request sends nothing", async () => {
    const { model, server } = await serve(() => streamed(long));
    const stream = model.stream(requestOf(), AbortSignal.abort(reason));
    await expect(stream.next()).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  test("while the client library loads sends nothing", async () => {
    const { model, server } = await serve(() => streamed(long));
    const controller = new AbortController();
    const first = model.stream(requestOf(), controller.signal).next();
    controller.abort(reason);
    await expect(first).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  test("before the first event hangs up", async () => {
    const arrived = Promise.withResolvers<ReceivedRequest>();
    const { model } = await serve((request) => {
      arrived.resolve(request);
      return { ...streamed([]), end: "stall" };
    });
    const controller = new AbortController();
    const first = model.stream(requestOf(), controller.signal).next();
    const request = await arrived.promise;
    controller.abort(reason);
    await expect(first).rejects.toBe(reason);
    expect(await request.ended).toBe("closed");
  });

  test("in the middle hangs up, even if nobody asks for the next piece", async () => {
    const { model, server } = await serve(() => ({ ...streamed(long.slice(0, 5)), end: "stall" }));
    const controller = new AbortController();
    const stream = model.stream(requestOf(), controller.signal);
    let step = await stream.next();
    while (step.done !== true && step.value.type !== "text") step = await stream.next();
    expect(step).toEqual({ done: false, value: { type: "text", text: "one " } });
    controller.abort(reason);
    expect(await server.requests[0]?.ended).toBe("closed");
    await expect(stream.next()).rejects.toBe(reason);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test("by a consumer that breaks off hangs up as well", async () => {
    const { model, server } = await serve(() => ({ ...streamed(long.slice(0, 5)), end: "stall" }));
    const seen: ModelDelta[] = [];
    for await (const delta of model.stream(requestOf(), new AbortController().signal)) {
      seen.push(delta);
      break;
    }
    expect(seen).toHaveLength(1);
    expect(await server.requests[0]?.ended).toBe("closed");
  });

  test("after the answer changes nothing, and no listener is left on the signal", async () => {
    const { model, server } = await serve(() => streamed(long));
    const controller = new AbortController();
    for (const _ of [1, 2, 3]) await collect(model, {}, controller.signal);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    controller.abort(reason);
    const ends = await Promise.all(server.requests.map(({ ended }) => ended));
    expect(ends).toEqual(["answered", "answered", "answered"]);
  });
});

test("a server that leaves the connection open after the whole answer does not cost the answer", async () => {
  const events = answerEvents([{ type: "text", text: "whole" }]);
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events)
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const model = createAnthropic({ apiKey: "test", baseURL: `http://127.0.0.1:${port}` });
  const { answer } = await collect(model);
  expect(answer.message.content).toEqual([{ type: "text", text: "whole" }]);
});

test.each([
  ["a word that is no JSON", "data: [DONE]\n\n"],
  ["an error", 'event: error\ndata: {"error":{"type":"overloaded_error","message":"busy"}}\n\n'],
  ["half an event", "event: content_block_del"],
])("%s after the whole answer does not cost it", async (_title, after) => {
  const { answer } = await collect(await rawServer(after, ""));
  expect(answer.message.content).toEqual([{ type: "text", text: "whole" }]);
});

test("pings without data and events that nobody knows are passed over", async () => {
  const before = "event: ping\ndata:\n\nevent: novel\ndata: not JSON\n\n: comment\n\n";
  const { answer } = await collect(await rawServer("", before));
  expect(answer.message.content).toEqual([{ type: "text", text: "whole" }]);
});

/** Everything in one piece: `before`, a whole answer, `after`. */
async function rawServer(after: string, before: string): Promise<Model> {
  const events = answerEvents([{ type: "text", text: "whole" }])
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${before}${events}${after}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return createAnthropic({ apiKey: "test", baseURL: `http://127.0.0.1:${port}` });
}

test("a page instead of a stream is refused at once, with the address to check", async () => {
  const { model, server } = await serve(() => ({ kind: "page", type: "text/html", body: "<p>" }));
  const { code, message } = await failureOf(model);
  expect(code).toBe("invalid_request");
  expect(message).toContain(`${server.url} answers with text/html`);
});

test("an answer in an encoding that nobody asked for is refused in words", async () => {
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" })
      .end("x");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const model = createAnthropic({ apiKey: "test", baseURL: `http://127.0.0.1:${port}` });
  await expect(collect(model)).rejects.toThrow(/the server answers in gzip/);
});
