import { expect, test } from "vitest";
import type { AgentEventBody } from "../events/event.ts";
import { textOf, type AssistantBlock, type Message } from "../contract/message.ts";
import { metered } from "../model/metered.ts";
import type { Model } from "../model/model.ts";
import { systemClock } from "../platform/clock.ts";
import { limitsSchema } from "../settings/settings.ts";
import { leafTool } from "../tools/tool.ts";
import { looseAgent as agent, looseTool } from "./agent-fixture.ts";
import type { LoopContext } from "./loop-context.ts";
import { runLoop, type LoopOutcome } from "./run-loop.ts";
import { TreeLock } from "../tools/shell/tree-lock.ts";
import { WrapUp, type WrapUpReason } from "./wrap-up.ts";

const stop: WrapUpReason = {
  because: "Somebody asked you to stop.",
  ending: { kind: "stopped", reason: "enough" },
};

test("a stop that asks for a report interrupts an answer and ends as stopped, with the report", async () => {
  const run = await play([
    ({ wrapUp }) => {
      wrapUp.ask(stop);
      return new Promise(() => undefined);
    },
    () => says("as far as I came"),
  ]);
  expect(run.outcome).toEqual({ kind: "stopped", reason: "enough", content: "as far as I came" });
  expect(run.log).toEqual(["prompt", "turn-start", "prompt", "turn-start", "assistant-message"]);
  expect(textOf(run.requests.at(-1)?.at(-1)?.content ?? "")).toBe(
    "go\nSomebody asked you to stop. Call no more tools. Report now: what you found or did, what is left, and where it stands.",
  );
});

test("a tool that runs when a report is asked for is told to end, and the calls after it do not start", async () => {
  const run = await play([
    () => calls("Ask", "Count"),
    ({ messages }) => says(`read: ${textOf(resultsOf(messages).join("; "))}`),
  ]);
  expect(run.outcome.content).toBe("read: Interrupted: enough; Interrupted: enough");
  expect(run.counted()).toBe(0);
});

test("asked for between two turns, or before the first, nothing else is asked of the model", async () => {
  const run = await play([() => says("nothing yet")], { before: stop });
  expect(run.outcome).toMatchObject({ kind: "stopped", content: "nothing yet" });
  expect(run.requests).toHaveLength(1);
});

test("asked for while the start of a turn is told, the turn is broken off and the report is asked with the reason", async () => {
  const run = await play([() => says("late")], { whenTold: stop });
  expect(run.outcome).toMatchObject({ kind: "stopped", content: "late" });
  expect(run.log).toEqual(["prompt", "turn-start", "prompt", "turn-start", "assistant-message"]);
  expect(textOf(run.requests[0]?.at(-1)?.content ?? "")).toContain("Somebody asked you to stop.");
});

test("an answer that was there first is the result: nobody is asked for a report", async () => {
  const run = await play([() => says("done")], { onAnswer: stop });
  expect(run.outcome).toEqual({ kind: "completed", content: "done" });
  expect(run.requests).toHaveLength(1);
});

test("asked for while the agent waits for work in the background, it reports at once", async () => {
  const run = await play([() => says("done"), () => says("two are still at work")], {
    whileWaiting: stop,
  });
  expect(run.outcome).toMatchObject({ kind: "stopped", content: "two are still at work" });
  expect(run.requests).toHaveLength(2);
});

test("what an ordinary turn does ends with the run, for the same reason, also when that came first", () => {
  const run = new AbortController();
  const { working } = new WrapUp(run.signal);
  expect(working.aborted).toBe(false);
  const reason = new Error("stopped");
  run.abort(reason);
  expect(working.reason).toBe(reason);
  expect(new WrapUp(run.signal).working.reason).toBe(reason);
});

test("the first who asks decides how the agent ends", () => {
  const wrapUp = new WrapUp(new AbortController().signal);
  wrapUp.ask(stop);
  wrapUp.ask({ because: "", ending: { kind: "stopped", reason: "another" } });
  expect(wrapUp.asked).toBe(stop);
  expect((wrapUp.working.reason as Error).message).toBe("enough");
});

test("a run that is aborted takes no report: the abort comes out as it is", async () => {
  const reason = new Error("killed");
  await expect(
    play([
      ({ wrapUp, abort }) => {
        wrapUp.ask(stop);
        abort.abort(reason);
        return new Promise(() => undefined);
      },
    ]),
  ).rejects.toBe(reason);
});

interface Scene {
  wrapUp: WrapUp;
  abort: AbortController;
  messages: readonly Message[];
}

/** Runs a loop whose model answers from the list; the last entry answers all further requests. */
async function play(
  script: readonly ((scene: Scene) => AssistantBlock[] | Promise<AssistantBlock[]>)[],
  when: Partial<Record<"before" | "whenTold" | "onAnswer" | "whileWaiting", WrapUpReason>> = {},
) {
  const abort = new AbortController();
  const wrapUp = new WrapUp(abort.signal);
  const requests: (readonly Message[])[] = [];
  const log: string[] = [];
  let counted = 0;
  const model: Model = {
    provider: "test",
    scripted: true,
    // oxlint-disable-next-line require-yield -- an answer may come in one piece
    async *stream({ messages }) {
      const line = script[Math.min(requests.length, script.length - 1)];
      requests.push(messages);
      const content = (await line?.({ wrapUp, abort, messages })) ?? [];
      const stopReason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
      const message = { role: "assistant" as const, content };
      return { id: "m", requestId: "r", model: "m", message, stopReason, usage, malformed: {} };
    },
  };
  const tools = [
    leafTool({
      ...looseTool,
      name: "Ask",
      execute: async (_input, { signal }) => {
        wrapUp.ask(stop);
        throw signal.reason;
      },
    }),
    leafTool({
      ...looseTool,
      name: "Count",
      execute: async () => {
        counted += 1;
        return { content: String(counted) };
      },
    }),
  ];
  if (when.before !== undefined) wrapUp.ask(when.before);
  const context = {
    agent,
    meets: () => agent.meets,
    model: metered(model, { prices: {}, now: () => 0, emit: () => undefined }),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    toolSpecs: [],
    workbench: { cwd: "/", tree: new TreeLock() },
    approvals: { canAsk: () => false, grants: () => [], agentType: () => "", countDenial: () => 1 },
    steps: {
      run: (_key: string, _options: unknown, work: () => unknown) => work(),
      wait: (_key: string, _reason: string, arrival: () => unknown) => arrival(),
      now: () => 0,
      random: () => 0,
    },
    limits: limitsSchema.parse({}),
    clock: systemClock,
    signal: abort.signal,
    wrapUp,
    grows: () => undefined,
    report: {
      emit: ({ type }: AgentEventBody) => {
        log.push(type);
        if (type === "assistant-message" && when.onAnswer !== undefined) wrapUp.ask(when.onAnswer);
      },
      told: async () => {
        if (when.whenTold !== undefined) wrapUp.ask(when.whenTold);
      },
    },
    mail: {
      take: () => [],
      expects: when.whileWaiting !== undefined,
      arrival: async (signal: AbortSignal) => {
        if (when.whileWaiting !== undefined) wrapUp.ask(when.whileWaiting);
        throw signal.reason;
      },
      close: () => undefined,
    },
    history: { messages: [], turns: 0, pending: null },
  } as unknown as LoopContext;
  const task = { prompt: "go", source: "human", attachments: [] } as const;
  const outcome: LoopOutcome = await runLoop(context, task);
  return { outcome, log, requests, counted: () => counted };
}

function says(text: string): AssistantBlock[] {
  return [{ type: "text", text }];
}

function calls(...names: string[]): AssistantBlock[] {
  return names.map((name) => ({ type: "tool_use", id: name, name, input: {} }));
}

function resultsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === "user"
      ? message.content.flatMap((block) =>
          block.type === "tool_result" ? [textOf(block.content)] : [],
        )
      : [],
  );
}
