import { describe, expect, test } from "vitest";
import type { AgentResult } from "../../contract/agent-result.ts";
import type { AgentEventBody, AgentSummary } from "../../events/event.ts";
import type { AgentId, SessionId } from "../../contract/ids.ts";
import { noUsage, type Usage } from "../../contract/message.ts";
import { agentSummary, figures } from "../../events/events-fixture.ts";
import { totalOf } from "../../events/agent-record.ts";
import { elapsed, RunState, type AgentView } from "./run-state.ts";

const sessionId = "5" as SessionId;

function summary(over: Partial<AgentSummary> = {}): AgentSummary {
  return agentSummary({ type: "Explore", model: "haiku", ...over });
}

function completed(content: string): AgentResult {
  return { ...figures({ durationMs: 1 }), state: "completed", content };
}

function answer(model: string, usage: Usage, costUsd: number | null = null): AgentEventBody {
  const message = { role: "assistant" as const, content: [] };
  return {
    type: "assistant-message",
    turn: 1,
    answer: { id: "m", requestId: "r", model, message, stopReason: "end_turn", usage },
    costUsd,
    durationMs: 7,
  };
}

class Story {
  readonly run: RunState;
  at = 1000;
  constructor(run: RunState = new RunState()) {
    this.run = run;
  }
  tell(id: string, ...bodies: AgentEventBody[]): this {
    for (const body of bodies) {
      this.run.apply({ agentId: id as AgentId, sessionId, at: this.at, ...body });
    }
    return this;
  }
  child(id: string, parentId: string, over: Partial<AgentSummary> = {}): this {
    const agent = summary({ parentId: parentId as AgentId, depth: 1, ...over });
    return this.tell(id, { type: "agent-start", agent });
  }
  agent(id: string): AgentView {
    const agent = this.run.agents.get(id as AgentId);
    if (agent === undefined) throw new Error(`no agent ${id}`);
    return agent;
  }
}

function main(): Story {
  return new Story().tell("m", { type: "agent-start", agent: summary() });
}

describe("the life of an agent", () => {
  test("goes from queued over running, waiting and idle to its end", () => {
    const story = new Story();
    const seen: string[] = [];
    const bodies: AgentEventBody[] = [
      { type: "agent-queued", position: 2, agent: summary() },
      { type: "agent-start", agent: summary() },
      { type: "agent-wait", reason: "child" },
      { type: "agent-wake" },
      { type: "agent-idle", agent: summary() },
      { type: "agent-start", agent: summary() },
      { type: "agent-end", result: completed("done") },
    ];
    for (const body of bodies) seen.push(story.tell("m", body).agent("m").record.state);
    expect(seen).toEqual([
      "queued",
      "running",
      "waiting",
      "running",
      "idle",
      "running",
      "completed",
    ]);
    expect(story.agent("m").outcome).toBe("done");
  });

  test("a failure keeps its code", () => {
    const error = { code: "timeout", message: "after 5 minutes" } as const;
    const result: AgentResult = { ...completed(""), state: "failed", error };
    const agent = main().tell("m", { type: "agent-end", result }).agent("m");
    expect(agent.outcome).toBe("timeout: after 5 minutes");
    expect(agent.record.end).toMatchObject({ error: { code: "timeout" } });
  });

  test("an agent that is continued runs again and keeps what it has spent", () => {
    const usage = { ...noUsage, input: 5 };
    const story = main().tell("m", answer("haiku", usage), {
      type: "agent-end",
      result: { ...completed("first"), usage },
    });
    story.at = 9000;
    story.tell("m", { type: "agent-start", agent: summary() });
    const agent = story.agent("m");
    expect(agent.outcome).toBeNull();
    expect(agent.record).toMatchObject({ state: "running", endedAt: null, end: null });
    expect(totalOf(agent.record).usage).toEqual(usage);
    expect(elapsed(agent, 9500)).toBe(500);
  });

  test("is silent since its last event", () => {
    const story = main();
    story.at = 4000;
    story.tell("m", { type: "text-delta", text: "x" });
    expect(story.agent("m").lastEventAt).toBe(4000);
  });

  test("a retry shows until the model speaks again", () => {
    const story = main().tell("m", {
      type: "model-retry",
      attempt: 2,
      code: "overloaded",
      message: "busy",
      delayMs: 100,
    });
    expect(story.agent("m").retry).toBe("retry 2: overloaded, busy");
    expect(story.tell("m", { type: "text-delta", text: "x" }).agent("m").retry).toBeNull();
  });
});

describe("tools", () => {
  const call = (id: string, command: string) => ({ id, name: "Bash", input: { command } });
  const endOf = (id: string): AgentEventBody => ({
    type: "tool-call-end",
    call: call(id, ""),
    result: { type: "tool_result", tool_use_id: id, content: "" },
    data: null,
    durationMs: 1,
  });

  test("of parallel calls the last one still open is shown", () => {
    const story = main().tell(
      "m",
      { type: "tool-call-start", call: call("1", "one") },
      { type: "tool-call-start", call: call("2", "two") },
      endOf("2"),
    );
    expect(story.agent("m").lastTool?.line).toBe("Bash one");
    expect(story.tell("m", endOf("1")).agent("m").lastTool?.line).toBe("Bash one");
  });

  test("the last line of a running call is kept", () => {
    const story = main().tell(
      "m",
      { type: "tool-call-start", call: call("1", "npm test") },
      { type: "tool-call-progress", callId: "1", text: "a\n\x1b[32m214 passed\x1b[0m\n\n" },
    );
    expect(story.agent("m").lastTool?.progress).toBe("214 passed");
  });

  test("denials are counted per agent and kept for the result", () => {
    const story = main().tell("m", {
      type: "permission-deny",
      call: call("1", "rm"),
      reason: "no",
    });
    expect(story.agent("m").record.run.denials).toBe(1);
    expect(story.run.totals.denials).toEqual([{ agentId: "m", call: call("1", "rm") }]);
  });
});

describe("the tree", () => {
  test("is drawn depth first with its branches", () => {
    const story = main()
      .child("a", "m")
      .child("b", "m", { type: "Plan" })
      .child("c", "a", { type: "Bash" });
    const drawn = story.run.tree().map(({ agent, prefix }) => prefix + agent.label);
    expect(drawn).toEqual(["main", "├ Explore", "│ └ Bash", "└ Plan"]);
    expect(story.run.path(story.agent("c"))).toBe("main ▸ Explore ▸ Bash");
  });

  test("siblings of one type get different labels", () => {
    const story = main().child("a", "m").child("b", "m").child("c", "m", { name: "scan" });
    expect(story.run.tree().map(({ agent }) => agent.label)).toEqual([
      "main",
      "Explore",
      "Explore#2",
      "scan",
    ]);
  });

  test("an agent whose parent was never seen stands at the top", () => {
    const run = new Story().child("a", "elsewhere").run;
    expect(run.tree().map(({ prefix }) => prefix)).toEqual([""]);
  });

  test("counts the children that still live", () => {
    const story = main().child("a", "m").child("b", "m");
    story.tell("a", { type: "agent-end", result: completed("") });
    expect(story.run.livingChildren(story.agent("m"))).toBe(1);
  });
});

describe("memory", () => {
  test("the oldest ended agents are forgotten and the totals still count them", () => {
    const story = new Story(new RunState({ maxAgents: 5 }));
    story.tell("m", { type: "agent-start", agent: summary() });
    for (let index = 0; index < 100; index += 1) {
      story.child(`c${index}`, "m");
      story.tell(`c${index}`, answer("haiku", { ...noUsage, output: 1 }), {
        type: "agent-end",
        result: completed("x"),
      });
    }
    expect(story.run.agents.size).toBe(5);
    expect(story.run.forgotten).toBe(96);
    expect(story.run.totals.used.usage.output).toBe(100);
    expect(story.run.main?.record.id).toBe("m");
  });

  test("living agents are never forgotten", () => {
    const story = new Story(new RunState({ maxAgents: 2 }));
    story.tell("m", { type: "agent-start", agent: summary() });
    for (const id of ["a", "b", "c"]) story.child(id, "m");
    expect(story.run.agents.size).toBe(4);
  });

  test("a long answer leaves one short line", () => {
    const result = completed("x".repeat(1_000_000));
    const agent = main().tell("m", { type: "agent-end", result }).agent("m");
    expect(agent.outcome?.length).toBe(300);
  });

  test("an event of an agent that was never introduced changes nothing but the totals", () => {
    const run = new Story().tell("ghost", answer("haiku", { ...noUsage, input: 3 })).run;
    expect(run.agents.size).toBe(0);
    expect(run.totals.byModel.get("haiku")?.usage.input).toBe(3);
  });
});

test("names and descriptions from a model are made harmless", () => {
  const hostile = "\x1b]52;c;AAAA\x07a\u202eb\nc";
  const story = main().child("a", "m", { type: hostile, name: hostile, description: hostile });
  expect(story.agent("a").record).toMatchObject({
    type: "ab c",
    name: "ab c",
    description: "ab c",
  });
  expect(story.run.path(story.agent("a"))).toBe("main ▸ ab c");
});

function costs({ totals }: RunState): Record<string, number | null> {
  return Object.fromEntries(
    totals.byModel.entries().map(([model, { costUsd }]) => [model, costUsd]),
  );
}

describe("cost", () => {
  test("adds up per agent, per model and over all, forgotten agents included", () => {
    const story = new Story(new RunState({ maxAgents: 1 }))
      .tell("m", { type: "agent-start", agent: summary() })
      .child("c", "m")
      .tell("m", answer("opus", noUsage, 0.5))
      .tell("c", answer("haiku", noUsage, 0.25), answer("opus", noUsage, 0.125));
    expect(totalOf(story.agent("m").record).costUsd).toBe(0.5);
    expect(totalOf(story.agent("c").record).costUsd).toBe(0.375);
    story.tell("c", { type: "agent-end", result: completed("") }).child("d", "m");
    expect(story.run.forgotten).toBe(1);
    expect(story.run.totals.used.costUsd).toBe(0.875);
    expect(costs(story.run)).toEqual({ opus: 0.625, haiku: 0.25 });
  });

  test("with one unknown answer the sums that it is part of are unknown, the others are not", () => {
    const { run } = main()
      .tell("m", answer("opus", noUsage, 0.5), answer("new", noUsage, null))
      .tell("m", answer("opus", noUsage, 0.5));
    expect(run.totals.used.costUsd).toBeNull();
    expect(run.main && totalOf(run.main.record).costUsd).toBeNull();
    expect(costs(run)).toEqual({ opus: 1, new: null });
  });
});
