import { describe, expect, test } from "vitest";
import { noUsage } from "../../contract/message.ts";
import { LiveView } from "./live-view.ts";
import { asks, bash, done, open } from "./live-view-fixture.ts";
import { TestClock } from "../../platform/clock-fixture.ts";
import { Terminal } from "../terminal/terminal-fixture.ts";

describe("the block", () => {
  test.each([
    [0.031, "0 tok  $0.03  ⏱ 0:00"],
    [null, "0 tok  ⏱ 0:00"],
  ])("the header says what a run has cost when it is known: %d", (costUsd, expected) => {
    const { terminal, clock, tell } = open();
    const message = { role: "assistant" as const, content: [] };
    const about = { id: "a", requestId: "r", model: "opus", stopReason: "end_turn" as const };
    const answer = { ...about, message, usage: noUsage };
    tell("m", { type: "assistant-message", turn: 1, answer, costUsd, durationMs: 7 });
    clock.advance(500);
    expect(terminal.text.split("\n")[0]).toMatch(/^retinue · 1 working {2,}\d/);
    expect(terminal.text.split("\n")[0]?.endsWith(expected)).toBe(true);
  });

  test("has a header and one row per agent, as a tree", () => {
    const { terminal, clock, tell, child } = open({ columns: 90 });
    child("scan-api");
    child("tests", { type: "Bash", model: "sonnet" });
    child("old-docs");
    tell("scan-api", asks("1", "Grep"), {
      type: "tool-call-start",
      call: { id: "1", name: "Grep", input: { pattern: "authorize(", path: "src/" } },
    });
    tell("tests", asks("2", "Bash"), bash("2", "npm test"), {
      type: "tool-call-progress",
      callId: "2",
      text: "214 passed\n",
    });
    const error = { code: "max_turns", message: "50" } as const;
    tell("old-docs", { type: "agent-end", result: { ...done, state: "failed", error } });
    tell("m", { type: "agent-wait", reason: "child" });
    clock.advance(3000);
    expect(terminal.text).toBe(
      [
        "retinue · 3 working · 1 failed                                              0 tok  ⏱ 0:03",
        "✻ main        general-purpose  opus    waiting for 2 children                     0  0:03",
        '├ ✻ scan-api  Explore          haiku   Grep "authorize(" src/             1 tool  0  0:03',
        "├ ✻ tests     Bash             sonnet  Bash npm test · 214 passed         1 tool  0  0:03",
        "└ ✗ old-docs  Explore          haiku   max_turns: 50                              0  0:00",
      ]
        .map((line) => line.trimEnd())
        .join("\n"),
    );
  });

  test("says that a model is scripted, in the header and beside the model", () => {
    const { terminal, clock } = open({ scripted: true });
    clock.advance(0);
    expect(terminal.text).toMatch(/^retinue · scripted · 1 working/);
    expect(terminal.text).toContain("scripted opus");
  });

  test("says how long a running agent has been silent, but not a waiting one", () => {
    const { terminal, clock, tell } = open();
    clock.advance(9000);
    expect(terminal.text).not.toContain("silent");
    clock.advance(32_000);
    expect(terminal.text).toContain("silent 0:41");
    tell("m", { type: "agent-wait", reason: "permission" });
    clock.advance(20_000);
    expect(terminal.text).toContain("waiting for permission");
    expect(terminal.text).not.toContain("silent");
  });

  test("says that a limit of time is near, beside the silence, until the call that it is about has ended", () => {
    const { terminal, clock, tell } = open();
    const warning = { callId: null, leftMs: 1000, message: "soon" };
    clock.advance(5000);
    tell("m", { type: "deadline-warning", clock: "progress", ...warning });
    clock.advance(10_000);
    expect(terminal.text).toContain("no progress, silent 0:1");
    const call = { id: "t", name: "Bash", input: {} };
    const result = { type: "tool_result", tool_use_id: "t", content: "" } as const;
    tell("m", { type: "tool-call-end", call, result, data: undefined, durationMs: 1 });
    clock.advance(1000);
    expect(terminal.text).not.toContain("no progress");
    tell("m", { type: "deadline-warning", clock: "wall", ...warning });
    tell("m", { type: "tool-call-end", call, result, data: undefined, durationMs: 1 });
    clock.advance(1000);
    expect(terminal.text).toContain("time nearly up");
    tell("m", { type: "agent-end", result: done });
    clock.advance(1000);
    expect(terminal.text).not.toContain("time nearly up");
  });

  test("shows the result of an ended agent and stops its clock", () => {
    const { terminal, clock, tell } = open();
    clock.advance(5000);
    tell("m", { type: "agent-end", result: done });
    clock.advance(60_000);
    expect(terminal.text).toContain("✓ main");
    expect(terminal.text).toContain("3 findings");
    expect(terminal.text).toMatch(/⏱ 0:05\n.*0:05$/);
  });

  test("a denial stays above the block, with the remedy", () => {
    const { terminal, clock, tell } = open({ columns: 60 });
    clock.advance(0);
    const call = { id: "1", name: "Bash", input: { command: "rm x" } };
    tell("m", {
      type: "permission-deny",
      call,
      reason: "Not allowed. Allow it with --allowedTools Bash.",
    });
    clock.advance(200);
    const lines = terminal.text.split("\n");
    expect(lines.slice(0, 2).join("")).toBe(
      "main  denied Bash rm x · Not allowed. Allow it with --allowedTools Bash.",
    );
    expect(lines[2]).toMatch(/^retinue · 1 working/);
    expect(lines).toHaveLength(4);
  });
});

describe("frames", () => {
  test("a thousand events in a second are at most eleven writes", () => {
    const { terminal, clock, tell } = open();
    for (let index = 0; index < 1000; index += 1) {
      tell("m", bash(String(index), `step ${index}`));
      clock.advance(1);
    }
    expect(terminal.writes.length).toBeLessThanOrEqual(11);
    clock.advance(100);
    expect(terminal.text).toContain("step 999");
  });

  test("each is one synchronised write with wrapping off inside", () => {
    const { terminal, clock } = open();
    clock.advance(5000);
    expect(terminal.writes.length).toBeGreaterThan(3);
    for (const write of terminal.writes) {
      expect(write).toMatch(/^\x1b\[\?2026h\x1b\[\?7l[^]*\x1b\[\?7h\x1b\[\?2026l$/);
    }
    expect(terminal.wrapping).toBe(true);
  });

  test("only the lines that changed are written", () => {
    const { terminal, clock, tell, child } = open();
    child("quiet");
    child("busy");
    clock.advance(0);
    tell("busy", bash("1", "make"));
    clock.advance(100);
    tell("busy", { type: "tool-call-progress", callId: "1", text: "50 %" });
    clock.advance(100);
    const last = terminal.writes.at(-1);
    expect(last).toContain("Bash make · 50 %");
    expect(last).not.toContain("quiet");
    expect(last).not.toContain("retinue");
  });

  test("nothing is written when nothing changed", () => {
    const { terminal, clock, tell } = open();
    clock.advance(0);
    const before = terminal.writes.length;
    for (let index = 0; index < 8; index += 1) {
      tell("m", { type: "text-delta", text: "x" });
      clock.advance(100);
    }
    expect(terminal.writes.length).toBe(before);
  });

  test("events alone paint nothing: the first frame comes from the clock", () => {
    expect(open().terminal.writes).toEqual([]);
  });
});

describe("the cursor", () => {
  test("is hidden while the block is drawn and given back by stop", () => {
    const { terminal, clock, view } = open();
    clock.advance(0);
    expect(terminal.cursorHidden).toBe(true);
    view.stop();
    expect(terminal.cursorHidden).toBe(false);
    expect(clock.timers).toEqual([]);
    expect(terminal.listeners.size).toBe(0);
  });

  test("is given back when the process exits without stop", () => {
    const listeners = process.listenerCount("exit");
    const { terminal, clock, view } = open();
    clock.advance(0);
    expect(process.listenerCount("exit")).toBe(listeners + 1);
    (process.listeners("exit").at(-1) as () => void)();
    expect(terminal.cursorHidden).toBe(false);
    view.stop();
    expect(process.listenerCount("exit")).toBe(listeners);
  });

  test("stop draws the last state, once, and nothing is written afterwards", () => {
    const { terminal, clock, view, tell } = open();
    clock.advance(0);
    tell("m", { type: "agent-end", result: done });
    view.stop();
    expect(terminal.text).toContain("✓ main");
    const before = terminal.writes.length;
    view.stop();
    tell("m", { type: "text-delta", text: "late" });
    clock.advance(5000);
    expect(terminal.writes.length).toBe(before);
  });

  test("a view that never drew leaves the terminal alone", () => {
    const terminal = new Terminal(80, 24);
    new LiveView({ stream: terminal, clock: new TestClock() }).stop();
    expect(terminal.writes).toEqual([]);
  });
});

describe("a panel", () => {
  test("stands below the block until it is taken away, and takes room from agents only", () => {
    const { terminal, clock, view, child } = open({ rows: 8 });
    for (const id of ["a", "b", "c", "d"]) child(id);
    const sizes: number[] = [];
    view.show({
      draw: ({ height }) => {
        sizes.push(height);
        return ["one", "two", "three"].map((text) => ({ text, width: text.length }));
      },
    });
    clock.advance(200);
    const lines = terminal.text.split("\n");
    expect(lines.slice(-3)).toEqual(["one", "two", "three"]);
    expect(lines[0]).toMatch(/^retinue/);
    expect(lines).toHaveLength(7);
    expect(new Set(sizes)).toEqual(new Set([6]));
    view.show(null);
    clock.advance(200);
    expect(terminal.text).not.toContain("three");
    expect(terminal.lines.slice(terminal.row)).toEqual([""]);
  });

  test("is not left on the screen at the end", () => {
    const { terminal, clock, view } = open();
    view.show({ draw: () => [{ text: "y once", width: 6 }] });
    clock.advance(200);
    expect(terminal.text).toContain("y once");
    view.stop();
    expect(terminal.text).not.toContain("y once");
  });
});

describe("in the background", () => {
  test("an agent keeps its row, which is marked and says what it is doing", () => {
    const { terminal, clock, tell, child } = open({ columns: 100 });
    child("scan");
    child("other");
    tell("scan", bash("1", "npm test"), { type: "agent-background" });
    clock.advance(200);
    const row = (): string =>
      terminal.text.split("\n").find((line) => /^. scan|[├└] . scan/.test(line)) ?? "";
    expect(terminal.text).toContain("main ▸ scan  continues in the background");
    expect(row()).toMatch(/bg Bash npm test/);
    expect(terminal.text.match(/\bbg\b/g)).toHaveLength(1);
    tell("scan", { type: "summary", text: "runs the\x1b[2J tests" });
    clock.advance(200);
    expect(row()).toContain("bg runs the tests · Bash npm test");
    tell("scan", { type: "agent-end", result: done });
    clock.advance(200);
    expect(row()).toMatch(/3 findings/);
    expect(terminal.text).not.toMatch(/\bbg\b/);
  });

  test("a summary is no sign of life", () => {
    const { terminal, clock, tell, child } = open({ columns: 120 });
    child("scan", { background: true });
    clock.advance(15_000);
    tell("scan", { type: "summary", text: "waits" });
    clock.advance(1000);
    expect(terminal.text).toMatch(/bg waits .*silent 0:1[56]/);
  });
});

test("after somebody else has written on the terminal the block begins anew below, and nothing of theirs is lost", () => {
  const { terminal, clock, view, child } = open();
  child("scan");
  clock.advance(200);
  const before = terminal.text.split("\n");
  view.release();
  expect(terminal.cursorHidden).toBe(false);
  terminal.write("$ fg\r\n");
  child("other");
  clock.advance(200);
  const lines = terminal.text.split("\n");
  expect(lines.slice(0, before.length)).toEqual(before);
  expect(lines[before.length]).toBe("$ fg");
  expect(lines.slice(before.length + 1)).toHaveLength(before.length + 1);
  expect(terminal.cursorHidden).toBe(true);
});
