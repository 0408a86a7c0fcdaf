import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Message, ToolUseBlock } from "../message.ts";
import type { ReceivedRequest, WireEvent } from "./anthropic-fixture.ts";
import { AnthropicServer, answerEvents, scenarioPlayer, type Play } from "./anthropic-fixture.ts";
import type { AnthropicOptions } from "./anthropic.ts";
import { createAnthropic } from "./anthropic.ts";
import { modelConformance } from "./conformance.ts";
import type { Model, ModelAnswer, ModelDelta, ModelRequest } from "./model.ts";
import { ModelError } from "./model.ts";
import type { Scenario } from "./scenario.ts";

for (const [name, chunk] of [
  ["anthropic", {}],
  ["anthropic in chunks of a byte", { chunk: 1 }],
  ["anthropic in chunks of seven bytes", { chunk: 7 }],
] as const) {
  const setup = async (scenario: Scenario) => {
    const server = await AnthropicServer.start(scenarioPlayer(scenario, chunk));
    const model = createAnthropic({ apiKey: "sk-test", baseURL: server.url });
    return { model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };
  for (const { title, run } of modelConformance(name, setup)) test(title, run);
}

describe("credentials", () => {
  const variables = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"];
  beforeEach(() => {
    for (const name of variables) vi.stubEnv(name, undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test("without a key the model is refused at once, and the variables to set are named", () => {
    for (const options of [{}, { apiKey: " " }, { authToken: "" }]) {
      expect(() => createAnthropic(options)).toThrow(
        expect.objectContaining({
          name: "RetinueError",
          code: "no_model",
          message: expect.stringMatching(/ANTHROPIC_API_KEY.*ANTHROPIC_AUTH_TOKEN/) as string,
        }),
      );
    }
  });

  test("a key that no header can carry is refused without showing it", () => {
    expect(() => createAnthropic({ apiKey: "sk-se\ncret" })).toThrow(
      "the option apiKey has characters that no key has",
    );
    expect(() => createAnthropic({ apiKey: "sk-se\ncret" })).not.toThrow("sk-se");
  });

  test("an address that is none is refused at once", () => {
    expect(() => createAnthropic({ apiKey: "k", baseURL: "nowhere" })).toThrow(
      expect.objectContaining({ code: "invalid_config" }),
    );
  });

  test.each<[string, AnthropicOptions, Record<string, string>, string]>([
    ["the option's key", { apiKey: "k1" }, { ANTHROPIC_API_KEY: "k2" }, "Bearer k1"],
    ["the option's token", { authToken: "t1" }, { ANTHROPIC_API_KEY: "k2" }, "Bearer t1"],
    [
      "a key over a token",
      {},
      { ANTHROPIC_API_KEY: " k3\n", ANTHROPIC_AUTH_TOKEN: "t3" },
      "Bearer k3",
    ],
    ["a token alone", {}, { ANTHROPIC_AUTH_TOKEN: "t4" }, "Bearer t4"],
  ])("are those that win: %s", async (_title, options, env, authorization) => {
    await using server = await AnthropicServer.start(() => streamed(answerEvents([hello])));
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    vi.stubEnv("ANTHROPIC_BASE_URL", `${server.url}/some/where/`);
    await collect(createAnthropic(options));
    const [request] = server.requests;
    expect(request?.path).toBe("/some/where/v1/messages");
    expect(request?.headers.authorization).toBe(authorization);
    expect(request?.headers["x-api-key"]).toBeUndefined();
    expect(request?.headers["anthropic-version"]).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(request?.headers["user-agent"]).toMatch(/^Anthropic\/JS|BaseAnthropic\/JS/);
    const telling = Object.keys(request?.headers ?? {}).filter((name) => /stainless/.test(name));
    expect(telling).toEqual([]);
  });
});

describe("the request", () => {
  test("has its keys in the order in which the provider caches, and breakpoints that never move", async () => {
    const { model, server } = await serve(() => streamed(answerEvents([hello])));
    await collect(model, { system: "Be brief.", tools: [tool("A"), tool("B")] });
    expect(server.requests[0]?.raw).toBe(
      `{"model":"a-model","max_tokens":32000,"tools":[` +
        `{"name":"A","description":"A tool.","input_schema":{"type":"object"}},` +
        `{"name":"B","description":"A tool.","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],` +
        `"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],` +
        `"messages":[{"role":"user","content":[{"type":"text","text":"go"}]}],` +
        `"cache_control":{"type":"ephemeral"},"stream":true}`,
    );
  });

  test("leaves out what the provider refuses when it is empty", async () => {
    const { model, server } = await serve(() => streamed(answerEvents([hello])), { maxTokens: 7 });
    const unsigned = { type: "thinking", thinking: "another model's" } as const;
    await collect(model, {
      messages: [
        said("user", { type: "text", text: "go" }, { type: "text", text: " \n" }),
        said("assistant"),
        said("assistant", unsigned, hello),
        said("user", { type: "text", text: "on" }),
      ],
    });
    expect(JSON.parse(server.requests[0]?.raw ?? "")).toEqual({
      model: "a-model",
      max_tokens: 7,
      messages: [
        said("user", { type: "text", text: "go" }),
        said("assistant", hello),
        said("user", { type: "text", text: "on" }),
      ],
      cache_control: { type: "ephemeral" },
      stream: true,
    });
  });

  test("shares every byte with the one before, up to the new messages", async () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "redacted_thinking", data: "b3BhcXVl" },
      { type: "text", text: "I look." },
      call("toolu_1", "Read", { file: "ü" }),
    ];
    const { model, server } = await serve(() => streamed(answerEvents(content)));
    const asked = { system: "s", tools: [tool("Read")] };
    const messages: Message[] = [said("user", { type: "text", text: "go" })];
    for (const turn of [1, 2, 3]) {
      const { answer } = await collect(model, { ...asked, messages: [...messages] });
      const result = { type: "tool_result", tool_use_id: "toolu_1", content: `${turn}` } as const;
      messages.push(answer.message, said("user", result));
    }
    const bodies = server.requests.map(({ raw }) => raw);
    expect(bodies).toHaveLength(3);
    const end = `],"cache_control":{"type":"ephemeral"},"stream":true}`;
    for (const [index, body] of bodies.slice(0, -1).entries()) {
      expect(body.endsWith(end)).toBe(true);
      expect(bodies[index + 1]?.startsWith(body.slice(0, -end.length))).toBe(true);
    }
  });

  test("holds images in messages and in tool results as the provider wants them", async () => {
    const { model, server } = await serve(() => streamed(answerEvents([hello])));
    const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } as const;
    const image = { type: "image", source } as const;
    const messages: Message[] = [
      said("user", image, { type: "text", text: "what is this?" }),
      said("assistant", call("toolu_1", "Read", { file: "a.png" })),
      said("user", {
        type: "tool_result",
        tool_use_id: "toolu_1",
        content: [{ type: "text", text: "a.png" }, image],
        is_error: false,
      }),
    ];
    await collect(model, { messages });
    expect(server.requests[0]?.body.messages).toEqual(messages);
  });
});

describe("the answer", () => {
  test("keeps thinking with its signature and redacted thinking, and sends both back as they came", async () => {
    const content = [
      { type: "thinking", thinking: "let me see", signature: "c2lnbmF0dXJl+/==" },
      { type: "redacted_thinking", data: "b3BhcXVl+/==" },
      { type: "thinking", thinking: "", signature: "b21pdHRlZA==" },
      { type: "text", text: "done" },
    ];
    const { model, server } = await serve(() => streamed(answerEvents(content)));
    const { answer, deltas } = await collect(model);
    expect(
      deltas.map((delta) => ("text" in delta ? `${delta.type}:${delta.text}` : delta.type)),
    ).toEqual(["thinking:let ", "thinking:me ", "thinking:see", "text:done"]);
    // By way of a transcript: nothing but JSON may be needed.
    const kept = JSON.parse(JSON.stringify(answer.message)) as Message;
    const again = said("user", { type: "text", text: "on" });
    await collect(model, { messages: [said("user", hello), kept, again] });
    expect(server.requests[1]?.body.messages[1]).toEqual({ role: "assistant", content });
  });

  test("has several tool calls in their order, those without input and the broken one included", async () => {
    const calls = [
      call("toolu_1", "Grep", { pattern: "größe 🎉", nested: { deep: [1, null] } }),
      call("toolu_2", "List", {}),
      call("toolu_3", "Read", { file: "b" }),
      call("toolu_4", "Read", { file: "c" }),
      call("toolu_5", "Read", { file: "d" }),
    ];
    const malformed = { toolu_3: '{"file": "b', toolu_4: '["not an object"]' };
    const play = streamed(answerEvents(calls, { stop: "tool_use", malformed }));
    const { model } = await serve(() => play);
    const { answer, deltas } = await collect(model);
    expect(answer.message.content).toEqual([
      calls[0],
      calls[1],
      { ...calls[2], input: {} },
      { ...calls[3], input: {} },
      calls[4],
    ]);
    expect(answer.malformed).toEqual(malformed);
    expect(answer.stopReason).toBe("tool_use");
    // Signs of life at most: there is nothing to show.
    expect(deltas.filter(({ type }) => type !== "alive")).toEqual([]);
  });

  test("passes over events, blocks and deltas of types that nobody knows", async () => {
    const events = answerEvents([
      { type: "hologram", depth: 3 },
      hello,
      { type: "text", text: "" },
    ]);
    events.splice(2, 0, { type: "weather_report", sunny: true });
    const { model } = await serve(() => streamed(events));
    const { answer, deltas } = await collect(model);
    expect(answer.message.content).toEqual([hello]);
    expect(deltas).toHaveLength(1);
  });

  test("counts tokens with the last number that each kind had", async () => {
    const events = answerEvents([hello], {
      usage: { input: 5, output: 40, cacheRead: 300, cacheWrite: 20 },
    });
    const { model } = await serve(() => streamed(events));
    const split = { input: 5, output: 40, cacheRead: 300, cacheWrite: 20 };
    expect((await collect(model)).answer.usage).toEqual(split);
    Object.assign(events.at(-2)?.["usage"] as object, {
      input_tokens: 6,
      cache_read_input_tokens: 301,
      cache_creation_input_tokens: null,
    });
    expect((await collect(model)).answer.usage).toEqual({ ...split, input: 6, cacheRead: 301 });
  });

  test.each([
    ["end_turn", "end_turn"],
    ["tool_use", "tool_use"],
    ["max_tokens", "max_tokens"],
    ["stop_sequence", "stop_sequence"],
    ["refusal", "refusal"],
    ["pause_turn", "max_tokens"],
    ["model_context_window_exceeded", "max_tokens"],
    ["boredom", "end_turn"],
    [null, "end_turn"],
  ])("that stopped for %s says %s", async (stop, expected) => {
    const { model } = await serve(() => streamed(answerEvents([hello], { stop })));
    expect((await collect(model)).answer.stopReason).toBe(expected);
  });

  test("names the model that answered and the id of the request", async () => {
    const events = answerEvents([hello], { model: "claude-sonnet-5-5" });
    const named = { ...streamed(events), headers: { "request-id": "req_server" } };
    const { model } = await serve(() => named);
    const { answer } = await collect(model);
    expect(answer).toMatchObject({ model: "claude-sonnet-5-5", requestId: "req_server" });
    expect(answer.id).toMatch(/^msg_/);
  });

  test("has an id of its own making when the server names none", async () => {
    // An empty header is none.
    const unnamed = { ...streamed(answerEvents([hello])), headers: { "request-id": "" } };
    const { model } = await serve(() => unnamed);
    const ids = [await collect(model), await collect(model)].map(({ answer }) => answer.requestId);
    expect(ids).toEqual([expect.stringMatching(/^req_./), expect.stringMatching(/^req_./)]);
    expect(new Set(ids).size).toBe(2);
  });
});

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

const hello = { type: "text", text: "hello" } as const;

async function serve(
  play: (request: ReceivedRequest) => Play,
  options: AnthropicOptions = {},
): Promise<{ model: Model; server: AnthropicServer }> {
  const server = await AnthropicServer.start(play);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { model: createAnthropic({ apiKey: "sk-test", baseURL: server.url, ...options }), server };
}

function streamed(events: readonly WireEvent[]): Play & { kind: "stream" } {
  return { kind: "stream", events, end: "done" };
}

function said<Role extends Message["role"]>(
  role: Role,
  ...content: (Message & { role: Role })["content"]
): Message {
  return { role, content } as Message;
}

function call(id: string, name: string, input: Record<string, unknown>): ToolUseBlock {
  return { type: "tool_use", id, name, input };
}

function tool(name: string): ModelRequest["tools"][number] {
  return { name, description: "A tool.", input_schema: { type: "object" } };
}

function requestOf(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "a-model",
    system: "",
    tools: [],
    messages: [said("user", { type: "text", text: "go" })],
    origin: { agentId: "a", agentType: "tester", turn: 1, attempt: 1 },
    ...fields,
  };
}

async function collect(
  model: Model,
  fields: Partial<ModelRequest> = {},
  signal = new AbortController().signal,
): Promise<{ deltas: ModelDelta[]; answer: ModelAnswer }> {
  const deltas: ModelDelta[] = [];
  const stream = model.stream(requestOf(fields), signal);
  for (;;) {
    const step = await stream.next();
    if (step.done === true) return { deltas, answer: step.value };
    if (step.value.type !== "usage") deltas.push(step.value);
  }
}

async function failureOf(
  model: Model,
): Promise<Pick<ModelError, "code" | "message" | "retryAfterMs"> & { deltas: ModelDelta[] }> {
  const deltas: ModelDelta[] = [];
  try {
    for await (const delta of model.stream(requestOf(), new AbortController().signal)) {
      if (delta.type !== "usage") deltas.push(delta);
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const { code, message, retryAfterMs } = error;
    return { code, message, retryAfterMs, deltas };
  }
  throw new Error("the request should have failed");
}

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
