import { afterEach } from "vitest";
import type { AgentResult } from "../../contract/agent-result.ts";
import type { AgentEventBody, AgentSummary } from "../../events/event.ts";
import type { AgentId, SessionId } from "../../contract/ids.ts";
import { noUsage } from "../../contract/message.ts";
import { agentSummary, figures } from "../../events/events-fixture.ts";
import { LiveView, type LiveViewOptions } from "./live-view.ts";
import { TestClock } from "../../platform/clock-fixture.ts";
import { Terminal } from "../terminal/terminal-fixture.ts";

const summary = agentSummary();

/** The result of an agent in these tests. */
export const done: AgentResult = { ...figures(), state: "completed", content: "3 findings\nmore" };

const opened: LiveView[] = [];
afterEach(() => {
  for (const view of opened.splice(0)) view.stop();
});

/** A view on a terminal of its own, with its main agent; it is stopped after the test. */
export function open(options: Partial<LiveViewOptions> & { columns?: number; rows?: number } = {}) {
  const terminal = new Terminal(options.columns ?? 100, options.rows ?? 24);
  const clock = new TestClock();
  const view = new LiveView({ stream: terminal, ...options, clock });
  opened.push(view);
  const tell = (id: string, ...bodies: AgentEventBody[]): void => {
    for (const body of bodies) {
      view.apply({ agentId: id as AgentId, sessionId: "s" as SessionId, at: clock.now(), ...body });
    }
  };
  const child = (id: string, over: Partial<AgentSummary> = {}): void =>
    tell(id, {
      type: "agent-start",
      agent: {
        ...summary,
        type: "Explore",
        model: "haiku",
        parentId: "m" as AgentId,
        name: id,
        ...over,
      },
    });
  tell("m", { type: "agent-start", agent: summary });
  return { terminal, clock, view, tell, child };
}

/** An answer that asks for one call. */
export function asks(id: string, name: string): AgentEventBody {
  const block = { type: "tool_use" as const, id, name, input: {} };
  const message = { role: "assistant" as const, content: [block] };
  const about = { id: `m${id}`, requestId: "r", model: "m", stopReason: "tool_use" as const };
  const answer = { ...about, usage: noUsage, message };
  return { type: "assistant-message", turn: 1, answer, costUsd: null, durationMs: 0 };
}

export function bash(id: string, command: string): AgentEventBody {
  return { type: "tool-call-start", call: { id, name: "Bash", input: { command } } };
}
