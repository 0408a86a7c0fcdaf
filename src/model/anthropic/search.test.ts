import { expect, onTestFinished, test } from "vitest";
import { answerEvents, AnthropicServer, type Play, type WireEvent } from "./server-fixture.ts";
import { createAnthropic } from "./anthropic.ts";
import type { ModelDelta, WebFindings, WebQuery } from "../model.ts";
import { until } from "../../../test/support/until.ts";

const link = (name: string): object => ({
  type: "web_search_result",
  title: `About ${name}`,
  url: `https://example.com/${name}`,
  encrypted_content: "b3BhcXVl",
  page_age: null,
});

function found(
  content: object[],
  options: { stop?: string; searches?: number } = {},
): Play & { kind: "stream" } {
  const { stop = "end_turn", searches = 1 } = options;
  const usage = { input: 100, output: 10, cacheRead: 3, cacheWrite: 0 };
  const events = answerEvents(content as never, { stop, searches, usage, model: "the-model-1" });
  return { kind: "stream", events, end: "done" };
}

const results = (...content: object[]): object => ({
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content,
});

async function serve(play: (number: number) => Play): Promise<{
  search: (query?: Partial<WebQuery>, signal?: AbortSignal) => Promise<WebFindings>;
  server: AnthropicServer;
  deltas: ModelDelta[];
}> {
  const server = await AnthropicServer.start(({ number }) => play(number));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const model = createAnthropic({ apiKey: "test", baseURL: server.url });
  const deltas: ModelDelta[] = [];
  const search = async (
    query: Partial<WebQuery> = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<WebFindings> => {
    const arriving = model.search?.({ model: "the-model", query: "owls", ...query }, signal);
    for (;;) {
      const step = await arriving?.next();
      if (step === undefined) throw new Error("the model should be able to search");
      if (step.done === true) return step.value;
      deltas.push(step.value);
    }
  };
  return { search, server, deltas };
}

test("the provider's tool is asked, and its results, text and costs come back", async () => {
  const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
  const content = [
    { type: "text", text: "I look." },
    use,
    results(link("owls"), link("night"), link("owls")),
    { type: "text", text: "Owls are birds" },
    { type: "text", text: " of the night." },
  ];
  const { search, server, deltas } = await serve(() => found(content));
  expect(await search()).toEqual({
    model: "the-model-1",
    text: "I look.\n\nOwls are birds of the night.",
    links: [
      { title: "About owls", url: "https://example.com/owls" },
      { title: "About night", url: "https://example.com/night" },
    ],
    problems: [],
    usage: { input: 100, output: 10, cacheRead: 3, cacheWrite: 0 },
    searches: 1,
  });
  expect(deltas.filter(({ type }) => type === "text")).toEqual([]);
  expect(server.requests[0]?.body).toMatchObject({
    model: "the-model",
    tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }],
    messages: [{ role: "user", content: expect.stringContaining("Query: owls") as string }],
  });
});

test.each([
  ["allowed_domains", { allowedDomains: ["example.com"] }],
  ["blocked_domains", { blockedDomains: ["example.com"] }],
])("the domains reach the provider as %s", async (field, query) => {
  const { search, server } = await serve(() => found([]));
  await search(query);
  expect(server.requests[0]?.body.tools?.[0]).toMatchObject({ [field]: ["example.com"] });
});

test("a search that the provider pauses can be gone on with, with as many searches as are left", async () => {
  const content = [
    { type: "server_tool_use", id: "s", name: "web_search", input: { query: "owls" } },
    results(link("a")),
    { type: "text", text: "first" },
  ];
  const { search, server } = await serve((number) =>
    number === 1
      ? found(content, { stop: "pause_turn", searches: 2 })
      : found([results(link("b"))]),
  );
  const { rest, ...first } = await search();
  expect(first).toMatchObject({ text: "first", searches: 2, usage: { input: 100 } });
  expect(rest).toBeDefined();
  expect(await search({ rest })).toMatchObject({
    text: "first",
    links: [{ url: "https://example.com/a" }, { url: "https://example.com/b" }],
    searches: 1,
    usage: { input: 100 },
  });
  expect(server.requests[1]?.body.messages).toEqual([
    expect.objectContaining({ role: "user" }),
    { role: "assistant", content },
  ]);
  expect(server.requests[1]?.body.tools?.[0]).toMatchObject({ max_uses: 3 });
});

test("a search that was paused after all its searches may still be finished", async () => {
  const { search, server } = await serve((number) =>
    number === 1 ? found([], { stop: "pause_turn", searches: 5 }) : found([], { searches: 0 }),
  );
  const { rest } = await search();
  await search({ rest });
  expect(server.requests[1]?.body.tools?.[0]).toMatchObject({ max_uses: 1 });
});

test("what the provider would refuse to get back is left out, and gaps do no harm", async () => {
  const content = [
    { type: "thinking", thinking: "hm", signature: "" },
    { type: "text", text: " " },
    results(link("a")),
  ];
  const { search, server } = await serve((number) => {
    const play = found(content, { stop: "pause_turn" });
    const gap = (event: WireEvent): WireEvent =>
      typeof event["index"] === "number" ? { ...event, index: event["index"] + 3 } : event;
    return number === 1 ? { ...play, events: play.events.map(gap) } : found([]);
  });
  const { rest } = await search();
  await search({ rest });
  expect(server.requests[1]?.body.messages[1]).toEqual({
    role: "assistant",
    content: [results(link("a"))],
  });
});

test("why a search failed is said", async () => {
  const failed = {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "web_search_tool_result_error", error_code: "unavailable" },
  };
  const { search } = await serve(() => found([failed, failed]));
  expect(await search()).toMatchObject({ links: [], problems: ["unavailable"] });
});

test.each<[string, Play]>([
  ["rate_limited", { kind: "refuse", status: 429, error: { type: "x", message: "slow down" } }],
  ["connection", { kind: "drop" }],
  [
    "stream_broken",
    { ...found([{ type: "text", text: "half an answer" }]), end: "cut", events: [] },
  ],
  ["invalid_request", { kind: "page", type: "text/html", body: "<h1>Log in</h1>" }],
])("faults are those of any request: %s", async (code, play) => {
  const { search } = await serve(() => play);
  await expect(search()).rejects.toMatchObject({ code });
});

test("an abort hangs up and ends with its reason", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const { search, server } = await serve(() => ({ ...found([]), end: "stall", events: [] }));
  const findings = search({}, controller.signal);
  await until(() => server.requests.length !== 0);
  controller.abort(reason);
  await expect(findings).rejects.toBe(reason);
  expect(await server.requests[0]?.ended).toBe("closed");
});
