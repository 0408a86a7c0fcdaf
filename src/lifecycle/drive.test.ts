import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AgentResult } from "../contract/agent-result.ts";
import type { AgentEvent } from "../events/event.ts";
import { noUsage } from "../contract/message.ts";
import { drive } from "./drive.ts";

const result: AgentResult = {
  state: "completed",
  content: "done",
  turns: 1,
  toolUses: 0,
  durationMs: 0,
  usage: noUsage,
  costUsd: 0,
} as AgentResult;

async function* twoEvents(): AsyncGenerator<AgentEvent, AgentResult> {
  const base = { agentId: "a", sessionId: "s", at: 0 };
  yield { ...base, type: "prompt", text: "x", source: "human", attachments: [] } as never;
  yield { ...base, type: "agent-end", result } as never;
  return result;
}

test("an event whose storing takes time is announced, and the next asked for, when it is stored", async () => {
  const log: string[] = [];
  const answers: (() => void)[] = [];
  const driven = drive(twoEvents(), {
    abort: new AbortController(),
    store: (event) => {
      log.push(`store ${event.type}`);
      return new Promise((resolve) => answers.push(resolve));
    },
    announce: (event) => log.push(`announce ${event.type}`),
  });
  await setImmediate();
  expect(log).toEqual(["store prompt"]);
  answers[0]?.();
  await setImmediate();
  expect(log).toEqual(["store prompt", "announce prompt", "store agent-end"]);
  answers[1]?.();
  expect(await driven).toMatchObject({ state: "completed" });
  expect(log.at(-1)).toBe("announce agent-end");
});

test("storing that fails after a while is told to nobody but by the end, which is no success", async () => {
  const announced: AgentEvent[] = [];
  const abort = new AbortController();
  const driven = drive(twoEvents(), {
    abort,
    store: () => Promise.reject(new Error("EIO")),
    announce: (event) => announced.push(event),
  });
  expect(await driven).toMatchObject({ state: "failed", error: { code: "storage" } });
  expect(announced.map(({ type }) => type)).toEqual(["agent-end"]);
  expect(abort.signal.reason).toMatchObject({ kind: "storage" });
});
