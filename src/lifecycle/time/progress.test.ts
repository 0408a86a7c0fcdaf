import { describe, expect, test } from "vitest";
import type { AgentEventBody } from "../../events/event.ts";
import type { AssistantBlock } from "../../contract/message.ts";
import { Progress } from "./progress.ts";

/** The number of events that were news. */
function newsIn(progress: Progress, events: readonly AgentEventBody[]): number {
  return events.filter((event) => progress.isNews(event)).length;
}

test("an answer, a result and a line of output are news once", () => {
  const progress = new Progress();
  const round = (id: string): AgentEventBody[] => [
    answer([{ type: "tool_use", id, name: "Bash", input: { command: "make" } }]),
    output(id, "compiling"),
    result(id, "failed"),
  ];
  expect(newsIn(progress, round("1"))).toBe(3);
  expect(newsIn(progress, round("2"))).toBe(0);
  expect(newsIn(progress, [result("3", "done")])).toBe(1);
});

test("what surrounds the work is not news: turns, retries, warnings, permissions", () => {
  const call = { id: "1", name: "Bash", input: {} };
  const events: AgentEventBody[] = [
    { type: "turn-start", turn: 1, wrapUp: false },
    { type: "model-retry", attempt: 1, code: "overloaded", message: "busy", delayMs: 1 },
    { type: "tool-call-start", call },
    { type: "permission-deny", call, reason: "no" },
    { type: "deadline-warning", clock: "wall", callId: null, leftMs: 1, message: "soon" },
  ];
  expect(newsIn(new Progress(), events)).toBe(0);
});

test("a prompt from outside is news, the same one again is not", () => {
  const prompt: AgentEventBody = { type: "prompt", text: "go", source: "message", attachments: [] };
  expect(newsIn(new Progress(), [prompt, prompt])).toBe(1);
});

test("a command that prints one line for ever is no progress, whatever space is around it", () => {
  const progress = new Progress();
  const lines = Array.from({ length: 100 }, (_, index) =>
    output("1", `same${" ".repeat(index)}\n`),
  );
  expect(newsIn(progress, lines)).toBe(1);
  expect(newsIn(progress, [output("1", "\n \n")])).toBe(0);
});

describe("streamed text", () => {
  test("is news while its words are new, in pieces of any size", () => {
    const text = "The quick brown fox jumps over the lazy dog and then it rests for a while. ";
    for (const size of [1, 3, 7, 1000]) {
      const progress = new Progress();
      expect(newsIn(progress, pieces(text, size))).toBeGreaterThan(0);
    }
  });

  test("said again is none, wherever the pieces are cut", () => {
    const text = "I will now look at the file and see what is wrong with it, then report. ";
    const progress = new Progress();
    newsIn(progress, [turn, ...pieces(text, 5)]);
    for (const size of [1, 4, 11, 1000]) {
      expect(newsIn(progress, [turn, ...pieces(text, size)])).toBe(0);
    }
  });

  test("that runs in circles is none after the first time round", () => {
    const progress = new Progress();
    const circle = "and then again from the start we go ";
    newsIn(progress, pieces(circle.repeat(3), 4));
    expect(newsIn(progress, pieces(circle.repeat(500), 4))).toBe(0);
  });

  test("goes on to be news when common words come in a new order", () => {
    const progress = new Progress();
    const words = ["the", "a", "file", "is", "not"];
    const said = Array.from({ length: 2000 }, (_, index) => words[((index * index) % 7) % 5]);
    newsIn(progress, pieces(`${said.join(" ")} `, 6));
    expect(newsIn(progress, pieces("is the file not a not the is a file ", 6))).toBeGreaterThan(0);
  });

  test("without any space is news too, and not held in memory as one word", () => {
    const progress = new Progress();
    const digits = Array.from({ length: 2000 }, (_, index) => String(index)).join("");
    expect(newsIn(progress, pieces(digits, 10))).toBeGreaterThan(50);
    expect(newsIn(progress, [turn, ...pieces(digits, 33)])).toBe(0);
  });
});

test("a circle is recognised however much else was said, as long as it turns", () => {
  const progress = new Progress();
  newsIn(progress, [result("1", "same")]);
  let again = 0;
  for (let index = 0; index < 20_000; index += 1) {
    progress.isNews(output("1", `line ${index}`));
    if (index % 1000 === 0) again += newsIn(progress, [result("1", "same")]);
  }
  expect(again).toBe(0);
});

test("what was long ago is forgotten, so that memory stays bounded", () => {
  const progress = new Progress();
  newsIn(progress, [output("1", "long ago")]);
  for (let index = 0; index < 20_000; index += 1) progress.isNews(output("1", `line ${index}`));
  expect(newsIn(progress, [output("1", "long ago")])).toBe(1);
});

const turn: AgentEventBody = { type: "turn-start", turn: 2, wrapUp: false };

function pieces(text: string, size: number): AgentEventBody[] {
  const all: AgentEventBody[] = [];
  for (let at = 0; at < text.length; at += size)
    all.push({ type: "text-delta", text: text.slice(at, at + size) });
  return all;
}

function output(callId: string, text: string): AgentEventBody {
  return { type: "tool-call-progress", callId, text };
}

function result(id: string, content: string): AgentEventBody {
  return {
    type: "tool-call-end",
    call: { id, name: "Bash", input: {} },
    result: { type: "tool_result", tool_use_id: id, content },
    data: undefined,
    durationMs: 1,
  };
}

function answer(content: AssistantBlock[]): AgentEventBody {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const record = { id: "m", requestId: "r", model: "m", stopReason: "tool_use", usage } as const;
  return {
    type: "assistant-message",
    turn: 1,
    answer: { ...record, message: { role: "assistant", content } },
    costUsd: 0,
    durationMs: 1,
  };
}
