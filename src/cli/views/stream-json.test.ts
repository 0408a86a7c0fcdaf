import { describe, expect, test } from "vitest";
import type { AgentResult } from "../../contract/agent-result.ts";
import type { AgentEventBody, AgentSummary } from "../../events/event.ts";
import type { AgentId, SessionId } from "../../contract/ids.ts";
import { agentSummary, figures } from "../../events/events-fixture.ts";
import { RunState } from "./run-state.ts";
import { RunTotals } from "../run/run-totals.ts";
import type { Frame } from "./stream-json-frames.ts";
import { eventFrames, frameLine, resultFrame } from "./stream-json.ts";

const sessionId = "11111111-2222-3333-4444-555555555555" as SessionId;
const main = agentSummary({ prompt: "do it", tools: ["Bash", "Agent"] });
const child: AgentSummary = {
  ...main,
  type: "Explore",
  description: "find it",
  model: "haiku",
  parentId: "m" as AgentId,
  toolUseId: "toolu_1",
  depth: 1,
  prompt: "find the login",
};
const completed: AgentResult = {
  ...figures({ turns: 3, toolUses: 1, durationMs: 5000 }),
  state: "completed",
  content: "found\nit",
};
const call = { id: "toolu_2", name: "Bash", input: { command: "ls" } };
const toolEnd: AgentEventBody = {
  type: "tool-call-end",
  call,
  result: { type: "tool_result", tool_use_id: "toolu_2", content: "a.ts" },
  data: { stdout: "a.ts" },
  durationMs: 5,
};

function answer(model: string, costUsd: number | null = null): AgentEventBody {
  return {
    type: "assistant-message",
    turn: 1,
    answer: {
      id: "msg_1",
      requestId: "req_1",
      model,
      message: {
        role: "assistant",
        content: [
          { type: "text", text: "looking" },
          { type: "tool_use", ...call },
        ],
      },
      stopReason: "tool_use",
      usage: { input: 10, output: 20, cacheRead: 30, cacheWrite: 40 },
    },
    costUsd,
    durationMs: 7,
  };
}

function stream(options: { partialMessages?: boolean } = {}) {
  const run = new RunState();
  const session = {
    cwd: "/repo",
    agents: ["Explore"],
    version: "0.1.0",
    scripted: false,
    taskOutput: (id: AgentId) => `/tasks/${id}.output`,
  };
  const context = { run, partialMessages: options.partialMessages ?? false, session };
  let at = 1000;
  const tell = (id: string, ...bodies: AgentEventBody[]): Frame[] =>
    bodies.flatMap((body) => {
      const event = { agentId: id as AgentId, sessionId, at: (at += 100), ...body };
      run.apply(event);
      return eventFrames(event, context);
    });
  return { run, tell };
}

function started(options: { partialMessages?: boolean } = {}) {
  const told = stream(options);
  told.tell("m", { type: "agent-start", agent: main });
  told.tell("c", { type: "agent-start", agent: child });
  return told;
}

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe("eventFrames", () => {
  test("the main agent's start is the init frame", () => {
    expect(stream().tell("m", { type: "agent-start", agent: main })).toEqual([
      {
        type: "system",
        subtype: "init",
        cwd: "/repo",
        tools: ["Bash", "Agent"],
        mcp_servers: [],
        model: "opus",
        permissionMode: "default",
        agents: ["Explore"],
        retinue_version: "0.1.0",
        retinue_scripted: false,
        uuid,
        session_id: sessionId,
      },
    ]);
  });

  test("an agent that moves to the background says so, and names its file when it ends", () => {
    const { tell } = started();
    const bare = { type: "system", task_id: "c", tool_use_id: child.toolUseId, uuid };
    expect(tell("c", { type: "agent-background" })).toEqual([
      {
        ...bare,
        subtype: "task_updated",
        is_backgrounded: true,
        patch: { is_backgrounded: true },
        session_id: sessionId,
      },
    ]);
    expect(tell("c", { type: "summary", text: "reading" })).toMatchObject([
      { ...bare, subtype: "task_progress", summary: "reading" },
    ]);
    const result = { ...figures(), state: "completed", content: "found" } as const;
    expect(tell("c", { type: "agent-end", result })).toMatchObject([
      { ...bare, subtype: "task_notification", output_file: "/tasks/c.output" },
    ]);
    const behind = stream();
    behind.tell("m", { type: "agent-start", agent: main });
    expect(
      behind.tell("c", { type: "agent-start", agent: { ...child, background: true } }),
    ).toMatchObject([{ subtype: "task_started", is_backgrounded: true }]);
    expect(behind.tell("c", { type: "agent-end", result })).toMatchObject([
      { output_file: "/tasks/c.output" },
    ]);
  });

  const usage = { input: 10, output: 20, cacheRead: 30, cacheWrite: 40 };

  test("a child's life is started, progress after each tool call, and a notification", () => {
    const { tell } = started();
    const frames = [
      ...tell("c", { type: "agent-start", agent: child }),
      ...tell("c", answer("haiku"), { type: "tool-call-start", call }, toolEnd),
      ...tell("c", { type: "agent-end", result: { ...completed, usage } }),
    ];
    expect(frames.filter((frame) => frame.type === "system")).toEqual([
      {
        type: "system",
        subtype: "task_started",
        task_id: "c",
        tool_use_id: "toolu_1",
        description: "find it",
        subagent_type: "Explore",
        task_type: "local_agent",
        prompt: "find the login",
        is_backgrounded: false,
        spawn_depth: 1,
        uuid,
        session_id: sessionId,
      },
      {
        type: "system",
        subtype: "task_progress",
        task_id: "c",
        tool_use_id: "toolu_1",
        description: "find it",
        subagent_type: "Explore",
        usage: { total_tokens: 100, tool_uses: 1, duration_ms: 300 },
        last_tool_name: "Bash",
        uuid,
        session_id: sessionId,
      },
      {
        type: "system",
        subtype: "task_notification",
        task_id: "c",
        tool_use_id: "toolu_1",
        status: "completed",
        summary: "found",
        usage: { total_tokens: 100, tool_uses: 1, duration_ms: 400 },
        uuid,
        session_id: sessionId,
      },
    ]);
  });

  test("an answer is one frame per block, with the same message id and the provider's usage", () => {
    const frames = started().tell("c", answer("haiku"));
    expect(frames).toHaveLength(2);
    expect(frames[1]).toEqual({
      type: "assistant",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "haiku",
        content: [{ type: "tool_use", ...call }],
        stop_reason: "tool_use",
        stop_sequence: null,
        usage: {
          input_tokens: 10,
          output_tokens: 20,
          cache_creation_input_tokens: 40,
          cache_read_input_tokens: 30,
        },
      },
      parent_tool_use_id: "toolu_1",
      uuid,
      session_id: sessionId,
    });
    expect(new Set(frames.map((frame) => frame.uuid)).size).toBe(2);
  });

  test("messages of the main agent have no parent call, those of a child have it", () => {
    const { tell } = started();
    expect(tell("m", toolEnd)).toMatchObject([
      { type: "user", parent_tool_use_id: null, tool_use_result: { stdout: "a.ts" } },
    ]);
    expect(tell("c", toolEnd)[0]).toMatchObject({
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_2" }] },
      parent_tool_use_id: "toolu_1",
    });
  });

  test("a prompt is a user frame, except the one that the reader wrote itself", () => {
    const { tell } = started();
    const prompt = (source: "human" | "parent"): AgentEventBody => ({
      type: "prompt",
      text: "go",
      attachments: [],
      source,
    });
    expect(tell("m", prompt("human"))).toEqual([]);
    expect(tell("c", prompt("parent"))).toMatchObject([
      { type: "user", message: { role: "user", content: [{ type: "text", text: "go" }] } },
    ]);
  });

  test("deltas are frames only when partial messages are asked for", () => {
    const deltas: AgentEventBody[] = [
      { type: "text-delta", text: "lo" },
      { type: "thinking-delta", text: "hm" },
    ];
    expect(started().tell("c", ...deltas)).toEqual([]);
    expect(started({ partialMessages: true }).tell("c", ...deltas)).toMatchObject([
      { type: "stream_event", event: { delta: { type: "text_delta", text: "lo" } } },
      { type: "stream_event", event: { delta: { type: "thinking_delta", thinking: "hm" } } },
    ]);
  });

  test("a denial is a frame of its own", () => {
    expect(started().tell("c", { type: "permission-deny", call, reason: "no" })).toEqual([
      {
        type: "system",
        subtype: "permission_denied",
        tool_name: "Bash",
        tool_use_id: "toolu_2",
        agent_id: "c",
        reason: "no",
        uuid,
        session_id: sessionId,
      },
    ]);
  });

  test("the main agent's end is left to the caller", () => {
    expect(started().tell("m", { type: "agent-end", result: completed })).toEqual([]);
  });
});

describe("resultFrame", () => {
  test("sums main agent and children, by model too, and lists the denials", () => {
    const { run, tell } = started();
    tell("m", answer("opus"));
    tell("c", answer("haiku"), { type: "permission-deny", call, reason: "no" });
    const model = {
      inputTokens: 10,
      outputTokens: 20,
      cacheReadInputTokens: 30,
      cacheCreationInputTokens: 40,
      costUSD: null,
    };
    expect(
      resultFrame({ scripted: true, totals: run.totals, sessionId, result: completed }),
    ).toEqual({
      type: "result",
      subtype: "success",
      is_error: false,
      num_turns: 3,
      duration_ms: 5000,
      duration_api_ms: 14,
      stop_reason: "tool_use",
      result: "found\nit",
      retinue_scripted: true,
      total_cost_usd: null,
      usage: {
        input_tokens: 20,
        output_tokens: 40,
        cache_creation_input_tokens: 80,
        cache_read_input_tokens: 60,
        server_tool_use: { web_search_requests: 0 },
      },
      modelUsage: { opus: model, haiku: model },
      permission_denials: [
        { tool_name: "Bash", tool_use_id: "toolu_2", tool_input: { command: "ls" }, agent_id: "c" },
      ],
      uuid,
      session_id: sessionId,
    });
  });

  test("the cost is that of main agent and children, by model too, and unknown with an unknown part", () => {
    const { run, tell } = started();
    tell("m", answer("opus", 0.5));
    tell("c", answer("haiku", 0.25));
    const frame = () =>
      resultFrame({ scripted: false, totals: run.totals, sessionId, result: completed });
    expect(frame()).toMatchObject({
      total_cost_usd: 0.75,
      modelUsage: { opus: { costUSD: 0.5 }, haiku: { costUSD: 0.25 } },
    });
    tell("c", answer("haiku", null));
    expect(frame()).toMatchObject({
      total_cost_usd: null,
      modelUsage: { opus: { costUSD: 0.5 }, haiku: { costUSD: null } },
    });
  });

  test.each([
    ["max_turns", "error_max_turns"],
    ["timeout", "error_during_execution"],
  ] as const)("a failure by %s is %s", (code, subtype) => {
    const error = { code, message: "why" };
    const result: AgentResult = { ...completed, state: "failed", error };
    expect(
      resultFrame({ scripted: true, totals: new RunTotals(), sessionId, result }),
    ).toMatchObject({
      subtype,
      is_error: true,
      errors: [`${code}: why`],
      stop_reason: null,
    });
  });

  test("a stopped run is an error", () => {
    const result: AgentResult = { ...completed, state: "stopped", reason: "interrupted" };
    expect(
      resultFrame({ scripted: true, totals: new RunTotals(), sessionId, result }),
    ).toMatchObject({
      subtype: "error_during_execution",
      is_error: true,
      errors: ["interrupted"],
    });
  });
});

test("a frame is one line, harmless to look at, and says exactly what the model said", () => {
  const text = "a\n\x1b]52;c;AA\x07\x9b31m\u202e\u2028\ud800日";
  const result = resultFrame({
    scripted: true,
    totals: new RunTotals(),
    sessionId,
    result: { ...completed, content: text },
  });
  const line = frameLine(result);
  expect(line.slice(0, -1)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028]|\p{Bidi_Control}/u);
  expect(line.endsWith("}\n")).toBe(true);
  expect(JSON.parse(line)).toMatchObject({ result: text });
});
