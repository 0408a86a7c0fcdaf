import { expect, test } from "vitest";
import type { AgentEventBody, AgentSummary } from "../../events/event.ts";
import type { AgentId, SessionId } from "../../contract/ids.ts";
import { noUsage } from "../../contract/message.ts";
import { agentSummary, figures } from "../../events/events-fixture.ts";
import { PlainView } from "./plain-view.ts";
import { createStyle } from "../terminal/style.ts";

const summary = agentSummary();
const child: AgentSummary = {
  ...summary,
  type: "Explore",
  description: "find the login",
  model: "haiku",
  color: "cyan",
  parentId: "m" as AgentId,
  depth: 1,
};
const took = figures({
  turns: 4,
  toolUses: 12,
  durationMs: 63_000,
  usage: { ...noUsage, input: 14_000 },
});

function watch(options: { scripted?: boolean; color?: boolean } = {}) {
  const written: string[] = [];
  const view = new PlainView({
    stream: { write: (text) => written.push(text) },
    style: createStyle(options.color ?? false),
    scripted: options.scripted ?? false,
  });
  const tell = (id: string, ...bodies: AgentEventBody[]): void => {
    for (const body of bodies) {
      view.apply({ agentId: id as AgentId, sessionId: "s" as SessionId, at: 0, ...body });
    }
  };
  return { view, tell, lines: () => written.join("").split("\n").slice(0, -1) };
}

test("a run is told in one line per notable event, under the path of the agent", () => {
  const { tell, lines } = watch();
  const bash = { id: "t2", name: "Bash", input: { command: "rm -rf build" } };
  const grep = { id: "t1", name: "Grep", input: { pattern: "authorize(", path: "src/" } };
  tell("m", { type: "agent-start", agent: summary });
  tell(
    "c",
    { type: "agent-queued", position: 1, agent: child },
    { type: "agent-start", agent: child },
    { type: "turn-start", turn: 1, wrapUp: false },
    { type: "model-retry", attempt: 2, code: "overloaded", message: "busy", delayMs: 1500 },
    { type: "tool-call-start", call: grep },
    { type: "permission-deny", call: bash, reason: "nobody can be asked" },
    { type: "agent-end", result: { ...took, state: "completed", content: "found" } },
  );
  expect(lines()).toEqual([
    "main  started · general-purpose · opus",
    "main ▸ Explore  queued (position 1)",
    "main ▸ Explore  started · find the login · haiku",
    "main ▸ Explore  retry 2 in 1.5 s: overloaded, busy",
    'main ▸ Explore  Grep "authorize(" src/',
    "main ▸ Explore  denied Bash rm -rf build · nobody can be asked",
    "main ▸ Explore  completed · 4 turns · 12 tools · 14k tok · 1:03",
  ]);
});

test("nothing is written per token", () => {
  const { tell, lines } = watch();
  tell("m", { type: "agent-start", agent: summary });
  for (let index = 0; index < 1000; index += 1) {
    tell("m", { type: "text-delta", text: "x" }, { type: "thinking-delta", text: "y" });
  }
  expect(lines()).toHaveLength(1);
});

test("a failed tool is told, but not a second time when it was denied", () => {
  const { tell, lines } = watch();
  const end = (id: string): AgentEventBody => ({
    type: "tool-call-end",
    call: { id, name: "Bash", input: {} },
    result: { type: "tool_result", tool_use_id: id, content: "exit 1\nboom", is_error: true },
    data: null,
    durationMs: 1,
  });
  const deny: AgentEventBody = {
    type: "permission-deny",
    call: { id: "2", name: "Bash", input: {} },
    reason: "no",
  };
  tell("m", { type: "agent-start", agent: summary }, end("1"), deny, end("2"));
  expect(lines().slice(1)).toEqual(["main  Bash failed: exit 1 boom", "main  denied Bash · no"]);
});

test("a failure and a stop say why", () => {
  const { tell, lines } = watch();
  const error = { code: "max_turns", message: "50 turns were not enough" } as const;
  tell("m", { type: "agent-start", agent: summary });
  tell("m", { type: "agent-end", result: { ...took, state: "failed", content: "", error } });
  tell("m", {
    type: "agent-end",
    result: { ...took, state: "stopped", content: "", reason: "interrupted" },
  });
  expect(lines().slice(1)).toEqual([
    "main  failed: max_turns: 50 turns were not enough · 4 turns · 12 tools · 14k tok · 1:03",
    "main  stopped: interrupted · 4 turns · 12 tools · 14k tok · 1:03",
  ]);
});

test("a scripted model is labelled", () => {
  const { tell, lines } = watch({ scripted: true });
  tell("m", { type: "agent-start", agent: summary });
  expect(lines()).toEqual(["main  started · general-purpose · scripted opus"]);
});

test("a hostile agent writes neither a second line nor an escape sequence", () => {
  const { tell, lines } = watch();
  const hostile = `\x1b]52;c;AAAA\x07x\u202e\n\x1b[2J${"y".repeat(10_000)}`;
  const agent = { ...child, type: hostile, name: hostile, description: hostile, model: hostile };
  tell("m", { type: "agent-start", agent: summary });
  tell("c", { type: "agent-start", agent });
  tell("c", {
    type: "permission-deny",
    call: { id: "1", name: hostile, input: {} },
    reason: hostile,
  });
  expect(lines()).toHaveLength(3);
  for (const line of lines()) {
    expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f]|\p{Bidi_Control}/u);
    expect(line.length).toBeLessThan(2000);
  }
});

test("the colour of the definition paints the path", () => {
  const { tell, lines } = watch({ color: true });
  tell("c", { type: "agent-start", agent: child });
  expect(lines()[0]).toContain("\x1b[36mExplore\x1b[0m");
});

test("a limit of time that comes near is a line", () => {
  const { tell, lines } = watch();
  const message = "80 % of its time (30 min) is used.\u001b[31m";
  tell("m", { type: "agent-start", agent: summary });
  tell("m", { type: "deadline-warning", clock: "wall", callId: null, leftMs: 1, message });
  expect(lines()[1]).toBe("main  time: 80 % of its time (30 min) is used.");
});

test("a move to the background, a message that was read and a notification are one line each", () => {
  const { tell, lines } = watch();
  tell("m", { type: "agent-start", agent: summary });
  tell("c", { type: "agent-start", agent: child }, { type: "agent-background" });
  tell("c", { type: "summary", text: "reading\x1b[2J the login" });
  const mail = { type: "prompt" as const, attachments: [] };
  tell(
    "m",
    { ...mail, text: "look\nhere\x1b[2J", source: "message", mailId: "1" },
    { ...mail, text: "<task-notification>", source: "notification", mailId: "c/1" },
    { ...mail, text: "go on", source: "harness" },
  );
  expect(lines().slice(2)).toEqual([
    "main ▸ Explore  continues in the background",
    "main ▸ Explore  now: reading the login",
    "main  has read: look here",
    "main  was notified of the end of Explore",
  ]);
});
