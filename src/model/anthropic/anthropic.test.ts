import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Message } from "../../contract/message.ts";
import { call, collect, hello, said, serve, streamed, tool } from "./calls-fixture.ts";
import { AnthropicServer, answerEvents, scenarioPlayer } from "./server-fixture.ts";
import { createAnthropic, type AnthropicOptions } from "./anthropic.ts";
import { modelConformance } from "../conformance.ts";
import type { Scenario } from "../rehearsal/scenario.ts";

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
      "the option apiKey contains characters that are not valid in a key",
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
    // A round trip as through a transcript: nothing but JSON may be needed.
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
