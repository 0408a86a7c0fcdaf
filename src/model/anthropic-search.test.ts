import { expect, onTestFinished, test } from "vitest";
import { AnthropicServer, type Play, type WireEvent } from "./anthropic-fixture.ts";
import { createAnthropic } from "./anthropic.ts";
import type { WebFindings, WebQuery } from "./model.ts";

const link = (name: string): object => ({
  type: "web_search_result",
  title: `About ${name}`,
  url: `https://example.com/${name}`,
  encrypted_content: "b3BhcXVl",
  page_age: null,
});

function found(content: object[], options: { stop?: string; searches?: number } = {}): WireEvent {
  return {
    type: "message",
    id: "msg_1",
    role: "assistant",
    model: "the-model-1",
    content,
    stop_reason: options.stop ?? "end_turn",
    usage: {
      input_tokens: 100,
      output_tokens: 10,
      cache_read_input_tokens: 3,
      server_tool_use: { web_search_requests: options.searches ?? 1 },
    },
  };
}

const results = (...content: object[]): object => ({
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content,
});

async function search(
  plays: readonly Play[],
  query: Partial<WebQuery> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<{ findings: Promise<WebFindings>; server: AnthropicServer }> {
  const server = await AnthropicServer.start(({ number }) => plays[number - 1] ?? { kind: "drop" });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const model = createAnthropic({ apiKey: "test", baseURL: server.url });
  const findings = model.search?.({ model: "the-model", query: "owls", ...query }, signal);
  if (findings === undefined) throw new Error("the model should be able to search");
  findings.catch(() => undefined);
  return { findings, server };
}

test("the provider's tool is asked, and its results, text and costs come back", async () => {
  const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
  const text = [
    { type: "text", text: "Owls are birds" },
    { type: "text", text: " of the night." },
  ];
  const message = found([use, results(link("owls"), link("night"), link("owls")), ...text]);
  const { findings, server } = await search([{ kind: "whole", message }]);
  expect(await findings).toEqual({
    model: "the-model-1",
    text: "Owls are birds of the night.",
    links: [
      { title: "About owls", url: "https://example.com/owls" },
      { title: "About night", url: "https://example.com/night" },
    ],
    problems: [],
    usage: { input: 100, output: 10, cacheRead: 3, cacheWrite: 0 },
    searches: 1,
  });
  expect(server.requests[0]?.body).toMatchObject({
    model: "the-model",
    tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }],
    messages: [{ role: "user", content: expect.stringContaining("Query: owls") as string }],
  });
  expect(server.requests[0]?.body).not.toHaveProperty("stream");
});

test.each([
  ["allowed_domains", { allowedDomains: ["example.com"] }],
  ["blocked_domains", { blockedDomains: ["example.com"] }],
])("the domains reach the provider as %s", async (field, query) => {
  const { findings, server } = await search([{ kind: "whole", message: found([]) }], query);
  await findings;
  expect(server.requests[0]?.body.tools?.[0]).toMatchObject({ [field]: ["example.com"] });
});

test("a turn that the provider pauses is gone on with, and everything is added up", async () => {
  const first = [results(link("a")), { type: "text", text: "first, " }];
  const { findings, server } = await search([
    { kind: "whole", message: found(first, { stop: "pause_turn", searches: 2 }) },
    { kind: "whole", message: found([results(link("b")), { type: "text", text: "then" }]) },
  ]);
  expect(await findings).toMatchObject({
    text: "first, then",
    links: [{ url: "https://example.com/a" }, { url: "https://example.com/b" }],
    usage: { input: 200, output: 20 },
    searches: 3,
  });
  expect(server.requests[1]?.body.messages).toEqual([
    expect.objectContaining({ role: "user" }),
    { role: "assistant", content: first },
  ]);
});

test("a provider that pauses for ever is left after five requests", async () => {
  const paused = { kind: "whole", message: found([], { stop: "pause_turn" }) } as const;
  const { findings, server } = await search(Array.from({ length: 9 }, () => paused));
  expect(await findings).toMatchObject({ links: [] });
  expect(server.requests).toHaveLength(5);
});

test("why a search failed is said", async () => {
  const failed = {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "web_search_tool_result_error", error_code: "unavailable" },
  };
  const { findings } = await search([{ kind: "whole", message: found([failed, failed]) }]);
  expect(await findings).toMatchObject({ links: [], problems: ["unavailable"] });
});

test("faults are classified like those of any request", async () => {
  const error = { type: "rate_limit_error", message: "slow down" };
  const { findings } = await search([{ kind: "refuse", status: 429, error }]);
  await expect(findings).rejects.toMatchObject({ code: "rate_limited" });
  const { findings: dropped } = await search([{ kind: "drop" }]);
  await expect(dropped).rejects.toMatchObject({ code: "connection" });
});

test("an abort hangs up and ends with its reason", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const { findings, server } = await search(
    [{ kind: "whole", message: "never" }],
    {},
    controller.signal,
  );
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort(reason);
  await expect(findings).rejects.toBe(reason);
  expect(await server.requests[0]?.ended).toBe("closed");
});
