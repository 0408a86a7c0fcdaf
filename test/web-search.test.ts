import { totalOf } from "../src/events/agent-record.ts";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createAnthropic, type ManagerOptions, type Model } from "../src/index.ts";
import { answerEvents, AnthropicServer, type Play } from "../src/model/anthropic/server-fixture.ts";
import { findAgents } from "../src/transcript/agent-on-disk.ts";
import { setStage, type Stage } from "./support/stage.ts";
import { until } from "./support/until.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";
import { someTurns } from "./support/turns.ts";

const million = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };

function searched(content: object[], options: { stop?: string } = {}): Play {
  const { stop = "end_turn" } = options;
  const answer = { stop, usage: million, searches: 2, model: "claude-opus-5" };
  return { kind: "stream", events: answerEvents(content as never, answer), end: "done" };
}

const found = searched([
  {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [{ type: "web_search_result", title: "Owls", url: "https://example.com/owls" }],
  },
  { type: "text", text: "Owls are birds." },
]);

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const streamed = (content: object[], stop: string): Play => ({
  kind: "stream",
  events: answerEvents(content as never, { stop, usage: none, model: "claude-opus-5" }),
  end: "done",
});
const call = (input: object): Play =>
  streamed([{ type: "tool_use", id: "toolu_1", name: "WebSearch", input }], "tool_use");
const done = streamed([{ type: "text", text: "done" }], "end_turn");

/** A server that never answers. */
const never: Play = { kind: "stream", events: [], end: "stall" };
const stallMs = 50;

async function play(
  plays: Play[],
  options: Partial<ManagerOptions> = { allowedTools: ["WebSearch"] },
): Promise<{ stage: Stage; server: AnthropicServer; result: string; state: string }> {
  const clock = new TestClock();
  const server = await AnthropicServer.start(({ number }) => {
    const play = plays[number - 1] ?? done;
    if (play === never) void someTurns().then(() => clock.advance(stallMs));
    return play;
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const model = createAnthropic({ apiKey: "test", baseURL: server.url });
  const limits = { ...options.limits, retry: { attempts: 3, base: 1, most: 2 } };
  const stage = setStage("turns: [{ turn: 1, reply: unused }]", {
    ...options,
    model,
    limits,
    clock,
  });
  const main = await stage.manager.main({ prompt: "owls?" });
  const { state } = await stage.manager.output(main.id, { block: true });
  const end = stage.events.find((event) => event.type === "tool-call-end");
  const result = end?.type === "tool-call-end" ? JSON.stringify(end.result) : "";
  return { stage, server, result, state };
}

test("the model sees summary and links, and what the search took is on the bill and on disk", async () => {
  const { stage, server, result } = await play([call({ query: "owls" }), found]);
  expect(result).toContain("Owls are birds.");
  expect(result).toContain("- Owls: https://example.com/owls");
  expect(server.requests).toHaveLength(3);
  expect(JSON.stringify(server.requests[2]?.body.messages)).toContain("https://example.com/owls");
  // A million tokens at 5 dollars, two searches at a cent.
  expect(stage.manager.totals()).toMatchObject({ usage: { input: 1_000_000 }, costUsd: 5.02 });
  const [agent] = await findAgents(stage.configDir);
  expect(agent && totalOf(agent.record)).toMatchObject({
    usage: { input: 1_000_000 },
    costUsd: 5.02,
    turns: 2,
  });
  const lines = readFileSync(agent?.transcript ?? "", "utf8");
  expect(lines).toContain('"type":"retinue-spend","what":"search","model":"claude-opus-5"');
});

test("a fault that passes is retried, and told", async () => {
  const error = { type: "overloaded_error", message: "busy" };
  const { stage, result } = await play([
    call({ query: "owls" }),
    { kind: "refuse", status: 529, error },
    found,
  ]);
  expect(result).toContain("Owls are birds.");
  expect(stage.events.filter((event) => event.type === "model-retry")).toHaveLength(1);
});

test("each request of a paused search is retried by itself, and counted once", async () => {
  const paused = searched([{ type: "text", text: "I go on." }], { stop: "pause_turn" });
  const error = { type: "api_error", message: "oops" };
  const { stage, server, result } = await play([
    call({ query: "owls" }),
    paused,
    { kind: "refuse", status: 500, error },
    found,
  ]);
  expect(result).toContain("Owls are birds.");
  expect(server.requests).toHaveLength(5);
  expect(stage.manager.totals()).toMatchObject({ usage: { input: 2_000_000 }, costUsd: 10.04 });
});

test("what a search took stays on the bill when it fails in the end", async () => {
  const paused = searched([], { stop: "pause_turn" });
  const error = { type: "invalid_request_error", message: "no" };
  const { stage, state } = await play([
    call({ query: "owls" }),
    paused,
    { kind: "refuse", status: 400, error },
  ]);
  expect(state).toBe("completed");
  expect(stage.manager.totals()).toMatchObject({ usage: { input: 1_000_000 }, costUsd: 5.02 });
});

test("what was found before the rest fails is kept", async () => {
  const part = [
    {
      type: "web_search_tool_result",
      tool_use_id: "srvtoolu_1",
      content: [{ type: "web_search_result", title: "Owls", url: "https://example.com/owls" }],
    },
  ];
  const error = { type: "invalid_request_error", message: "no" };
  const { result } = await play([
    call({ query: "owls" }),
    searched(part, { stop: "pause_turn" }),
    { kind: "refuse", status: 400, error },
  ]);
  expect(result).toContain("https://example.com/owls");
});

test("a search that breaks off is on the bill with its fees", async () => {
  const whole = searched([]);
  const events = whole.kind === "stream" ? whole.events.slice(0, -1) : [];
  const { stage } = await play([
    call({ query: "owls" }),
    { kind: "stream", events, end: "cut" },
    found,
  ]);
  expect(stage.manager.totals()).toMatchObject({ usage: { input: 2_000_000 }, costUsd: 10.04 });
});

test("an answer that breaks off is on the bill, as far as it came, and the next one too", async () => {
  const whole = searched([{ type: "text", text: "done" }]);
  const events = whole.kind === "stream" ? whole.events.slice(0, 3) : [];
  const { stage, state } = await play([{ kind: "stream", events, end: "cut" }, whole]);
  expect(state).toBe("completed");
  const spends = stage.events.flatMap((event) => (event.type === "spend" ? [event.what] : []));
  expect(spends).toEqual(["broken-answer"]);
  expect(stage.manager.totals().usage.input).toBe(2_000_000);
});

test("a search that hangs is given up, and the agent goes on", async () => {
  const { result, state } = await play([call({ query: "owls" }), never, never, never], {
    allowedTools: ["WebSearch"],
    limits: { modelStall: stallMs },
  });
  expect(result).toContain("sent nothing for 0.05 s");
  expect(state).toBe("completed");
});

test("a model whose search heeds no signal holds nobody up", async () => {
  const server = await AnthropicServer.start(() => call({ query: "owls" }));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const deaf: Model = {
    ...createAnthropic({ apiKey: "test", baseURL: server.url }),
    search: () => ({ next: () => new Promise(() => undefined), return: async () => ({}) }) as never,
  };
  const { manager } = setStage("turns: [{ turn: 1, reply: unused }]", {
    model: deaf,
    allowedTools: ["WebSearch"],
  });
  const main = await manager.main({ prompt: "owls?" });
  await until(() => server.requests.length !== 0);
  await manager.stop(main.id);
  expect((await manager.output(main.id)).state).toBe("stopped");
});

test("what cannot be searched is an error that the model can read", async () => {
  const problem = { type: "web_search_tool_result_error", error_code: "unavailable" };
  const failed = { type: "web_search_tool_result", tool_use_id: "x", content: problem };
  const { result } = await play([call({ query: "owls" }), searched([failed])]);
  expect(result).toContain("could not search: unavailable");
  const both = { query: "owls", allowed_domains: ["a.com"], blocked_domains: ["b.com"] };
  expect((await play([call(both)])).result).toContain("not both");
  const empty = { query: "owls", allowed_domains: [], blocked_domains: [] };
  expect((await play([call(empty), searched([])])).result).toContain("Nothing was found");
});

test("it needs approval, and nothing is sent without", async () => {
  const { result, server } = await play([call({ query: "owls" })], {});
  expect(result).toContain("--allowedTools WebSearch");
  expect(server.requests).toHaveLength(2);
});

test("with all its tools the first request of Explore stays under 5.5 kB on the wire", async () => {
  const server = await AnthropicServer.start(() => done);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const model = createAnthropic({ apiKey: "test", baseURL: server.url });
  const { manager } = setStage("turns: [{ turn: 1, reply: unused }]", { model });
  const agent = await manager.spawn({ prompt: "Where are owls?", subagent_type: "Explore" });
  await manager.output(agent.id, { block: true });
  const raw = server.requests[0]?.raw ?? "";
  expect(raw).toContain("WebSearch");
  expect(raw).toContain("Where are owls?");
  expect(Buffer.byteLength(raw)).toBeLessThan(5500);
});

test("a model without a search offers no such tool", async () => {
  const { manager, requests } = setStage("turns: [{ turn: 1, reply: fine }]");
  const main = await manager.main({ prompt: "x" });
  await manager.output(main.id, { block: true });
  const names = requests[0]?.tools.map(({ name }) => name);
  expect(names).toContain("WebFetch");
  expect(names).not.toContain("WebSearch");
});
