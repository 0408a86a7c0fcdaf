import assert from "node:assert/strict";
import type { Model, ModelAnswer, TextDelta, ModelErrorCode, ModelRequest } from "./model.ts";
import { isText, ModelError } from "./model.ts";
import type { Fault, ReplyBlock, Scenario, ScenarioTurn } from "./rehearsal/scenario.ts";

/**
 * Requirements for every implementation of `Model`, as cases for any test runner: `for (const { title, run } of
 * modelConformance("name", setup)) test(title, run)`.
 */
export function modelConformance(name: string, setup: ConformanceSetup): ConformanceCase[] {
  return cases.map(({ title, turns, check }) => ({
    title: `${name}: ${title}`,
    async run() {
      await using subject = await setup(scenarioOf(turns));
      await check(subject.model);
    },
  }));
}

/**
 * Creates a model whose provider answers from the scenario. Its turns are matched by `task` alone (the text of the
 * prompt), so that a server that never learns the asking agent can play it too.
 */
export type ConformanceSetup = (scenario: Scenario) => Promise<ConformanceSubject>;

interface ConformanceSubject extends AsyncDisposable {
  model: Model;
}

export interface ConformanceCase {
  title: string;
  run: () => Promise<void>;
}

const reason = new Error("the caller has had enough");
const longText = "one two three four five six seven eight nine ten";

const cases: { title: string; turns: TurnSketch[]; check: (model: Model) => Promise<void> }[] = [
  {
    title: "streams text and returns it whole",
    turns: [{ task: "go", reply: [{ text: longText }] }],
    async check(model) {
      const { deltas, answer } = await collect(model, "go");
      assert.deepEqual(new Set(deltas.map((delta) => delta.type)), new Set(["text"]));
      assert.equal(joined(deltas), longText);
      assert.deepEqual(answer.message, {
        role: "assistant",
        content: [{ type: "text", text: longText }],
      });
      assert.equal(answer.stopReason, "end_turn");
      assert.deepEqual(answer.malformed, {});
    },
  },
  {
    title: "streams thinking before text",
    turns: [{ task: "go", reply: [{ thinking: "let me see" }, { text: "done now" }] }],
    async check(model) {
      const { deltas, answer } = await collect(model, "go");
      const firstText = deltas.findIndex((delta) => delta.type === "text");
      assert.equal(joined(deltas.slice(0, firstText)), "let me see");
      assert.equal(joined(deltas.slice(firstText)), "done now");
      assert.ok(deltas.slice(firstText).every((delta) => delta.type === "text"));
      assert.deepEqual(
        answer.message.content.map((block) => block.type),
        ["thinking", "text"],
      );
    },
  },
  {
    title: "returns several tool calls in their order",
    turns: [
      {
        task: "go",
        reply: [
          { text: "looking" },
          { call: "Grep", input: { pattern: "sum", paths: ["a", "b"] } },
          { call: "Read", input: { file: "ü.ts", limit: 3, nested: { deep: null } } },
          { call: "Read", input: {} },
        ],
      },
    ],
    async check(model) {
      const { answer } = await collect(model, "go");
      const calls = answer.message.content.filter((block) => block.type === "tool_use");
      assert.deepEqual(
        calls.map(({ name, input }) => ({ name, input })),
        [
          { name: "Grep", input: { pattern: "sum", paths: ["a", "b"] } },
          { name: "Read", input: { file: "ü.ts", limit: 3, nested: { deep: null } } },
          { name: "Read", input: {} },
        ],
      );
      assert.equal(new Set(calls.map((call) => call.id)).size, 3);
      assert.equal(answer.stopReason, "tool_use");
    },
  },
  {
    title: "hands over a tool call that is not valid JSON",
    turns: [
      {
        task: "go",
        reply: [
          { call: "Read", input: { file: "a" } },
          { call: "Read", input: { file: "b" } },
        ],
        fault: { kind: "malformed-call", times: 1 },
      },
    ],
    async check(model) {
      const { answer } = await collect(model, "go");
      const [first, second] = answer.message.content;
      assert.ok(first?.type === "tool_use" && second?.type === "tool_use");
      assert.deepEqual(first.input, {});
      assert.deepEqual(second.input, { file: "b" });
      assert.deepEqual(Object.keys(answer.malformed), [first.id]);
      assert.throws(() => JSON.parse(answer.malformed[first.id] ?? "{}"), SyntaxError);
    },
  },
  {
    title: "says why the model stopped",
    turns: [
      { task: "long", reply: [{ text: "cut" }], stop: "max_tokens" },
      { task: "never", reply: [{ text: "no" }], stop: "refusal" },
    ],
    async check(model) {
      assert.equal((await collect(model, "long")).answer.stopReason, "max_tokens");
      assert.equal((await collect(model, "never")).answer.stopReason, "refusal");
    },
  },
  {
    title: "counts all four kinds of tokens",
    turns: [
      {
        task: "go",
        reply: [{ text: "done" }],
        usage: { input: 7, output: 11, cacheRead: 13, cacheWrite: 17 },
      },
    ],
    async check(model) {
      const { answer } = await collect(model, "go");
      assert.deepEqual(answer.usage, { input: 7, output: 11, cacheRead: 13, cacheWrite: 17 });
    },
  },
  {
    title: "asks nothing when it is aborted before it starts",
    turns: [{ task: "go", reply: [{ text: longText }] }],
    async check(model) {
      const stream = model.stream(requestOf("go"), AbortSignal.abort(reason));
      await assert.rejects(stream.next(), isReason);
      assert.deepEqual(await stream.next(), { done: true, value: undefined });
    },
  },
  {
    title: "ends with the reason of an abort between two pieces, and yields nothing after it",
    turns: [{ task: "go", reply: [{ text: longText }], fault: { kind: "stall", times: 1 } }],
    async check(model) {
      const controller = new AbortController();
      const stream = model.stream(requestOf("go"), controller.signal);
      assert.equal((await stream.next()).done, false);
      controller.abort(reason);
      await assert.rejects(stream.next(), isReason);
      assert.deepEqual(await stream.next(), { done: true, value: undefined });
    },
  },
  {
    title: "ends with the reason of an abort while it waits for a piece",
    turns: [{ task: "go", reply: [{ text: longText }], fault: { kind: "stall", times: 1 } }],
    async check(model) {
      const controller = new AbortController();
      const seen: TextDelta[] = [];
      const reading = (async () => {
        for await (const delta of model.stream(requestOf("go"), controller.signal)) {
          if (!isText(delta)) continue;
          seen.push(delta);
          setImmediate(() => controller.abort(reason));
        }
      })();
      await assert.rejects(reading, isReason);
      assert.ok(longText.startsWith(joined(seen)) && joined(seen) !== longText);
    },
  },
  ...(
    [
      ["rate-limit", "rate_limited", 2000],
      ["overload", "overloaded", undefined],
      ["server-error", "server_error", undefined],
    ] as const
  ).map(([kind, code, retryAfterMs]) => ({
    title: `reports ${kind} as ${code}`,
    turns: [{ task: "go", reply: [{ text: longText }], fault: faultOf(kind, retryAfterMs) }],
    async check(model: Model) {
      const error = await failureOf(model, "go");
      assert.equal(error.code, code);
      assert.equal(error.retryAfterMs, retryAfterMs);
      assert.deepEqual(error.deltas, []);
    },
  })),
  {
    title: "reports a stream that breaks off as stream_broken, after what had arrived",
    turns: [
      { task: "go", reply: [{ text: longText }], fault: { kind: "broken-stream", times: 1 } },
    ],
    async check(model) {
      const { code, deltas } = await failureOf(model, "go");
      assert.equal(code, "stream_broken");
      assert.ok(deltas.length > 0);
      assert.ok(longText.startsWith(joined(deltas)) && joined(deltas) !== longText);
    },
  },
  {
    title: "answers the same request normally once its fault is over",
    turns: [{ task: "go", reply: [{ text: "at last" }], fault: { kind: "overload", times: 2 } }],
    async check(model) {
      assert.equal((await failureOf(model, "go")).code, "overloaded");
      assert.equal((await failureOf(model, "go", 2)).code, "overloaded");
      assert.equal(joined((await collect(model, "go", 3)).deltas), "at last");
    },
  },
  {
    title: "does not mix concurrent requests, nor end one when another is aborted",
    turns: [
      { task: "stuck", reply: [{ text: longText }], fault: { kind: "stall", times: 1 } },
      ...numbers().map((number) => ({
        task: `number ${number} please`,
        reply: [{ text: `${number} `.repeat(20) }, { call: "Note", input: { number } }],
      })),
    ],
    async check(model) {
      const controller = new AbortController();
      const stuck = model.stream(requestOf("stuck"), controller.signal);
      await stuck.next();
      const running = numbers().map((number) => collect(model, `number ${number} please`));
      controller.abort(reason);
      await assert.rejects(stuck.next(), isReason);
      const answers = await Promise.all(running);
      for (const [index, { deltas, answer }] of answers.entries()) {
        const number = numbers()[index];
        assert.equal(joined(deltas), `${number} `.repeat(20));
        const call = answer.message.content.find((block) => block.type === "tool_use");
        assert.deepEqual(call?.input, { number });
      }
      assert.equal(new Set(answers.map(({ answer }) => answer.id)).size, answers.length);
      assert.equal(new Set(answers.map(({ answer }) => answer.requestId)).size, answers.length);
    },
  },
];

type TurnSketch = Pick<ScenarioTurn, "stop" | "usage" | "fault"> & {
  task: string;
  reply: ReplyBlock[];
};

function scenarioOf(turns: TurnSketch[]): Scenario {
  return {
    name: "conformance",
    source: "conformance.ts",
    speed: 0,
    turns: turns.map((turn, index) => Object.assign({ repeat: false, line: index + 1 }, turn)),
    expect: [],
  };
}

function requestOf(prompt: string, attempt = 1): ModelRequest {
  return {
    model: "a-model",
    system: "You are being tested.",
    tools: ["Grep", "Read", "Note"].map((name) => ({
      name,
      description: "A tool.",
      input_schema: { type: "object", properties: {} },
    })),
    messages: [{ role: "user", content: [{ type: "text", text: prompt }] }],
    origin: { agentId: `agent of ${prompt}`, agentType: "tester", turn: 1, attempt },
  };
}

interface Collected {
  deltas: TextDelta[];
  answer: ModelAnswer;
}

async function collect(model: Model, prompt: string, attempt = 1): Promise<Collected> {
  const deltas: TextDelta[] = [];
  const stream = model.stream(requestOf(prompt, attempt), new AbortController().signal);
  for (;;) {
    const step = await stream.next();
    if (step.done === true) return { deltas, answer: step.value };
    if (isText(step.value)) deltas.push(step.value);
  }
}

interface Failure {
  code: ModelErrorCode;
  retryAfterMs: number | undefined;
  deltas: TextDelta[];
}

async function failureOf(model: Model, prompt: string, attempt = 1): Promise<Failure> {
  const deltas: TextDelta[] = [];
  try {
    for await (const delta of model.stream(
      requestOf(prompt, attempt),
      new AbortController().signal,
    )) {
      if (isText(delta)) deltas.push(delta);
    }
  } catch (error) {
    assert.ok(error instanceof ModelError, `not a ModelError: ${String(error)}`);
    return { code: error.code, retryAfterMs: error.retryAfterMs, deltas };
  }
  return assert.fail("the request should have failed");
}

function faultOf(kind: Fault["kind"], retryAfterMs: number | undefined): Fault {
  const retryAfter = retryAfterMs === undefined ? undefined : retryAfterMs / 1000;
  return { kind, times: 1, retryAfter };
}

function numbers(): number[] {
  return [1, 2, 3, 4, 5, 6, 7, 8];
}

function joined(deltas: readonly TextDelta[]): string {
  return deltas.map(({ text }) => text).join("");
}

function isReason(error: unknown): boolean {
  return error === reason;
}
