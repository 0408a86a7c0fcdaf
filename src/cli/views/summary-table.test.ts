import { expect, test } from "vitest";
import type { AgentFigures } from "../../contract/agent-result.ts";
import type { AgentEventBody } from "../../events/event.ts";
import type { AgentId, SessionId } from "../../contract/ids.ts";
import { noUsage } from "../../contract/message.ts";
import { agentSummary, figures } from "../../events/events-fixture.ts";
import { RunState } from "./run-state.ts";
import { summaryTable } from "./summary-table.ts";
import { createStyle } from "../terminal/style.ts";
import { displayWidth } from "../terminal/width.ts";

const summary = agentSummary();

function finishedRun(
  names: { child: string; result: string },
  costs: { main: number | null; child: number | null } = { main: null, child: null },
): RunState {
  const run = new RunState();
  const tell = (id: string, at: number, body: AgentEventBody): void => {
    run.apply({ agentId: id as AgentId, sessionId: "s" as SessionId, at, ...body });
  };
  const spend = (model: string, input: number, costUsd: number | null): AgentEventBody => ({
    type: "assistant-message",
    turn: 1,
    answer: {
      id: "m",
      requestId: "r",
      model,
      message: { role: "assistant", content: [] },
      stopReason: "end_turn",
      usage: { ...noUsage, input },
    },
    costUsd,
    durationMs: 7,
  });
  const child = { ...summary, type: names.child, model: "haiku", parentId: "m" as AgentId };
  tell("m", 0, { type: "agent-start", agent: summary });
  tell("c", 1000, { type: "agent-start", agent: child });
  tell("c", 1000, { type: "tool-call-start", call: { id: "t", name: "Bash", input: {} } });
  tell("c", 1000, spend("haiku", 14_000, costs.child));
  tell("m", 1000, spend("opus", 61_000, costs.main));
  const used = (input: number, costUsd: number | null): AgentFigures =>
    figures({ turns: 0, usage: { ...noUsage, input }, costUsd });
  const error = { code: "timeout", message: "too long" } as const;
  tell("c", 64_000, {
    type: "agent-end",
    result: { ...used(14_000, costs.child), toolUses: 1, state: "failed", content: "", error },
  });
  tell("m", 72_000, {
    type: "agent-end",
    result: {
      ...used(61_000, costs.main),
      turns: 2,
      state: "completed",
      content: `${names.result}\nmore`,
    },
  });
  return run;
}

test("agents stand as a tree with their figures, numbers aligned, and a total", () => {
  const run = finishedRun({ child: "Explore", result: "3 findings" });
  expect(summaryTable(run, { width: 100, now: 99_000 })).toEqual([
    "Agent      Model  Turns  Tools  Tokens  Time  Result",
    "main       opus       2      0     61k  1:12  ✓ 3 findings",
    "└ Explore  haiku      0      1     14k  1:03  ✗ timeout: too long",
    "total (2)                    1     75k  1:12",
  ]);
});

test("costs have a column when some are known, and a sum with an unknown part is unknown", () => {
  const names = { child: "Explore", result: "3 findings" };
  const known = finishedRun(names, { main: 0.305, child: 0.001 });
  expect(summaryTable(known, { width: 100, now: 99_000 })).toEqual([
    "Agent      Model  Turns  Tools  Tokens  Time    Cost  Result",
    "main       opus       2      0     61k  1:12   $0.30  ✓ 3 findings",
    "└ Explore  haiku      0      1     14k  1:03  <$0.01  ✗ timeout: too long",
    "total (2)                    1     75k  1:12   $0.31",
  ]);
  const partly = finishedRun(names, { main: 0.305, child: null });
  expect(summaryTable(partly, { width: 100, now: 99_000 })).toEqual([
    "Agent      Model  Turns  Tools  Tokens  Time     Cost  Result",
    "main       opus       2      0     61k  1:12    $0.30  ✓ 3 findings",
    "└ Explore  haiku      0      1     14k  1:03  unknown  ✗ timeout: too long",
    "total (2)                    1     75k  1:12  unknown",
  ]);
});

test("a narrow table gives up turns and tools for the result", () => {
  const run = finishedRun({ child: "Explore", result: "3 findings" });
  expect(summaryTable(run, { width: 45, now: 99_000 })).toEqual([
    "Agent      Model  Tokens  Time  Result",
    "main       opus      61k  1:12  ✓ 3 findings",
    "└ Explore  haiku     14k  1:03  ✗ timeout: t…",
    "total (2)            75k  1:12",
  ]);
});

test.each([10, 30, 60, 80])("no line is wider than %i columns, whatever the names", (width) => {
  const hostile = `日本👩‍👩‍👧\x1b[31m\u202e${"long ".repeat(2000)}`;
  const table = summaryTable(finishedRun({ child: hostile, result: hostile }), { width, now: 0 });
  expect(table).toHaveLength(4);
  for (const line of table) {
    expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f]|\p{Bidi_Control}/u);
  }
});

test("a failed agent is red and a scripted model is labelled", () => {
  const run = finishedRun({ child: "Explore", result: "ok" });
  const table = summaryTable(run, { width: 100, now: 0, style: createStyle(true), scripted: true });
  expect(table[2]).toMatch(/^\x1b\[31m└ Explore +scripted haiku .*\x1b\[0m$/);
});

test("an empty run has a heading and a total", () => {
  expect(summaryTable(new RunState(), { width: 80, now: 5 })).toHaveLength(2);
});
