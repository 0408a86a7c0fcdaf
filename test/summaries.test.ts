import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent, Model, ModelRequest, ManagerOptions } from "../src/index.ts";
import { createRehearsal, parseScenario } from "../src/index.ts";
import { requestBody } from "../src/model/anthropic/body.ts";
import { setStage, type Stage } from "./support/stage.ts";
import { quiet } from "./support/quiet-agent.ts";
import { until, untilExists } from "./support/until.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";

const summaries = { everySeconds: 10 };
const options = { agents: { quiet }, allowedTools: ["Bash"] };
const waits = "while [ ! -e go ]; do sleep 0.02; done";
const scenario = (background: boolean): string => `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: dig, prompt: dig deep, subagent_type: quiet, run_in_background: ${String(background)} } }] }
  - { agent: main, turn: 2, reply: "launched" }
  - { agent: main, turn: 3, reply: "done" }
  - { agent: quiet, turn: 1, reply: [{ text: I begin }, { call: Bash, input: { command: "touch begun; ${waits}" } }] }
  - { agent: quiet, turn: 2, reply: "gold" }
`;

/** A run whose child has begun to work and goes on when there is a file `go`. */
async function underWay(
  given: Partial<ManagerOptions> = {},
  background = true,
): Promise<Stage & { clock: TestClock; child: string; main: string; end: () => Promise<void> }> {
  const clock = new TestClock();
  const stage = setStage(scenario(background), { ...options, clock, ...given });
  const main = await stage.manager.main({ prompt: "go" });
  await untilExists(join(stage.cwd, "begun"));
  const child = stage.manager.list().find(({ depth }) => depth === 1)?.id ?? "";
  const end = async (): Promise<void> => {
    writeFileSync(join(stage.cwd, "go"), "");
    await stage.manager.output(main.id, { block: true });
  };
  return { ...stage, clock, child, main: main.id, end };
}

const bodies = (events: readonly AgentEvent[]): AgentEvent[] =>
  events.filter(
    (event) => event.type === "summary" || (event.type === "spend" && event.what === "summary"),
  );
const asked = (requests: readonly ModelRequest[]): ModelRequest[] =>
  requests.filter(({ origin }) => origin.purpose === "summary");

test("an agent in the background is summarised with the very request that it sent last, and one line more", async () => {
  const stage = await underWay({ settings: { background: { summaries } } });
  stage.clock.advance(10_000);
  await until(() => expect(bodies(stage.events)).toHaveLength(2));
  const [request] = asked(stage.requests);
  const sent = stage.requests.find(
    ({ origin }) => origin.agentType === "quiet" && origin.purpose === undefined,
  );
  const { messages = [], origin: _, ...rest } = request ?? {};
  const { messages: before = [], origin: __, ...same } = sent ?? {};
  expect(JSON.stringify(rest)).toBe(JSON.stringify(same));
  expect(JSON.stringify(messages.slice(0, -1))).toBe(JSON.stringify(before));
  expect(messages.at(-1)).toMatchObject({
    role: "user",
    content: [{ type: "text", text: expect.stringMatching(/^In one short line/) as string }],
  });
  // As the provider gets them: every byte up to the end of the last message is the same.
  if (request === undefined || sent === undefined) throw new Error("Nothing was sent.");
  const [whole, shared] = [request, sent].map((one) => JSON.stringify(requestBody(one, 1000)));
  expect(whole?.startsWith(shared?.slice(0, shared.lastIndexOf("]")) ?? "nothing")).toBe(true);
  const [spend, summary] = bodies(stage.events);
  expect(spend).toMatchObject({ agentId: stage.child, type: "spend", what: "summary" });
  // Everything but the question was read from the cache.
  expect(spend).toMatchObject({ usage: { input: 4 } });
  expect(summary).toMatchObject({ agentId: stage.child, text: "after 0 answers of the script" });
  await stage.end();
});

test("it is counted, can be tailed, and is neither in the conversation nor in its transcript", async () => {
  const stage = await underWay({ settings: { background: { summaries } } });
  const before = stage.manager.totals(stage.child).usage;
  stage.clock.advance(10_000);
  await until(() => expect(bodies(stage.events)).toHaveLength(2));
  const [spend] = bodies(stage.events);
  const taken = spend?.type === "spend" ? spend.usage : undefined;
  const after = stage.manager.totals(stage.child).usage;
  expect(after.cacheRead - before.cacheRead).toBe(taken?.cacheRead);
  expect(after.output - before.output).toBe(taken?.output);
  await stage.end();
  const { transcripts, sessionId } = stage.manager;
  const tasks = join(transcripts.projectDir, sessionId, "tasks");
  expect(readFileSync(join(tasks, `${stage.child}.output`), "utf8")).toContain(
    "[now: after 0 answers of the script]\n",
  );
  const lines = readFileSync(
    join(transcripts.projectDir, sessionId, "subagents", `agent-${stage.child}.jsonl`),
    "utf8",
  );
  expect(lines).not.toContain("In one short line");
  expect(lines).not.toContain("of the script");
  expect(lines.split("\n").filter((line) => line.includes('"what":"summary"'))).toHaveLength(1);
  const last = stage.requests.findLast(({ origin }) => origin.agentType === "quiet");
  expect(JSON.stringify(last?.messages)).not.toContain("In one short line");
});

test("no summary without the setting, in the foreground, without progress, or after the end", async () => {
  const off = await underWay();
  off.clock.advance(60_000);
  await off.end();
  expect(asked(off.requests)).toEqual([]);

  const before = await underWay({ settings: { background: { summaries } } }, false);
  before.clock.advance(60_000);
  expect(asked(before.requests)).toEqual([]);
  await before.manager.background(before.child);
  before.clock.advance(10_000);
  await until(() => expect(bodies(before.events)).toHaveLength(2));
  // It has sent nothing since.
  before.clock.advance(60_000);
  expect(asked(before.requests)).toHaveLength(1);
  await before.end();
  before.clock.advance(60_000);
  expect(asked(before.requests)).toHaveLength(1);
});

test("summaries less than ten seconds apart are refused", () => {
  const settings = { background: { summaries: { everySeconds: 9 } } };
  expect(() => setStage(scenario(true), { ...options, settings })).toThrow(/everySeconds/);
});

/** Answers the agents from the script, and summaries as the test says. */
function answering(stream: Model["stream"]): { model: Model; summarised: () => number } {
  const rehearsal = createRehearsal(parseScenario(scenario(true), "scenario.yaml"));
  let summarised = 0;
  const model: Model = {
    ...rehearsal,
    stream(request, signal) {
      if (request.origin.purpose === undefined) return rehearsal.stream(request, signal);
      summarised += 1;
      return stream(request, signal);
    },
  };
  return { model, summarised: () => summarised };
}

test("a summary that is still being written is broken off when its agent ends, and what it took is counted before", async () => {
  const usage = { input: 7, output: 1, cacheRead: 0, cacheWrite: 0 };
  const signals: AbortSignal[] = [];
  const { model, summarised } = answering(async function* (request, signal) {
    signals.push(signal);
    yield { type: "usage", model: request.model, usage };
    return await new Promise<never>(() => undefined);
  });
  const stage = await underWay({ settings: { background: { summaries } }, model });
  stage.clock.advance(10_000);
  await until(() => expect(signals).toHaveLength(1));
  // One at a time.
  stage.clock.advance(60_000);
  await stage.end();
  expect(summarised()).toBe(1);
  expect(signals[0]?.aborted).toBe(true);
  const told = stage.events.filter(({ agentId }) => agentId === stage.child);
  expect(told.at(-1)?.type).toBe("agent-end");
  expect(told.filter(({ type }) => type === "spend")).toMatchObject([{ usage }]);
  expect(told.filter(({ type }) => type === "summary")).toEqual([]);
});

test("a summary that fails is not tried again, and one that calls a tool runs none", async () => {
  const failing = answering(() => {
    throw new Error("no answer today");
  });
  const stage = await underWay({
    settings: { background: { summaries } },
    model: failing.model,
  });
  stage.clock.advance(10_000);
  stage.clock.advance(60_000);
  await stage.end();
  expect(failing.summarised()).toBe(1);
  const child = stage.manager.list({ all: true }).find(({ depth }) => depth === 1);
  expect(child?.state).toBe("completed");

  const calling = answering(async function* (request) {
    yield { type: "alive" };
    return {
      id: "msg_1",
      requestId: "req_1",
      model: request.model,
      message: {
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "touch ran" } }],
      },
      stopReason: "tool_use",
      usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
      malformed: {},
    };
  });
  const other = await underWay({ settings: { background: { summaries } }, model: calling.model });
  other.clock.advance(10_000);
  await until(() => expect(bodies(other.events)).toMatchObject([{ type: "spend" }]));
  await other.end();
  expect(existsSync(join(other.cwd, "ran"))).toBe(false);
});
