import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AgentEventBody } from "../events/event.ts";
import { metered } from "../model/metered.ts";
import type { Model } from "../model/model.ts";
import { systemClock } from "../platform/clock.ts";
import { limitsSchema } from "../settings/settings.ts";
import { leafTool, type LeafTool } from "../tools/tool.ts";
import { looseAgent, looseTool } from "./agent-fixture.ts";
import type { LoopContext } from "./loop-context.ts";
import { relay } from "./relay.ts";
import { runLoop, type LoopOutcome } from "./run-loop.ts";
import { TreeLock } from "../tools/shell/tree-lock.ts";
import { WrapUp } from "./wrap-up.ts";

test("a slow reader has dealt with what was said before anything follows from it", async () => {
  const order: string[] = [];
  const tool = (name: string): LeafTool =>
    leafTool({
      ...looseTool,
      name,
      execute: async () => {
        order.push(`${name} runs`);
        return { content: name };
      },
    });
  let requests = 0;
  const model: Model = {
    provider: "test",
    scripted: true,
    // oxlint-disable-next-line require-yield -- an answer may come in one piece
    async *stream() {
      order.push(`request ${(requests += 1)}`);
      return {
        id: `msg_${requests}`,
        requestId: "req",
        model: "m",
        message: { role: "assistant", content: requests === 1 ? calls : [text] },
        stopReason: requests === 1 ? "tool_use" : "end_turn",
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
        malformed: {},
      };
    },
  };
  const run = relay<AgentEventBody, LoopOutcome>((report) =>
    runLoop(contextOf({ model: metered(model, account), tools: [tool("A"), tool("B")], report }), {
      prompt: "go",
      source: "human",
      attachments: [],
    }),
  );
  for await (const event of run) {
    await setImmediate();
    order.push("call" in event ? `${event.type} ${event.call.name}` : event.type);
  }
  expect(order).toEqual([
    "prompt",
    "turn-start",
    "request 1",
    "assistant-message",
    "A runs",
    "tool-call-start A",
    "tool-call-end A",
    "B runs",
    "tool-call-start B",
    "tool-call-end B",
    "turn-start",
    "request 2",
    "assistant-message",
  ]);
});

const account = { prices: {}, now: () => 0, emit: () => undefined };
const text = { type: "text", text: "done" } as const;
const calls = [
  { type: "tool_use", id: "1", name: "A", input: {} },
  { type: "tool_use", id: "2", name: "B", input: {} },
] as const satisfies unknown[];

function contextOf({
  model,
  tools,
  report,
}: Pick<LoopContext, "model" | "report"> & { tools: LeafTool[] }): LoopContext {
  const { signal } = new AbortController();
  return {
    agent: looseAgent as never,
    meets: () => looseAgent.meets as never,
    model,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    toolSpecs: [],
    workbench: { cwd: "/", tree: new TreeLock() } as never,
    approvals: {
      canAsk: () => false,
      grants: () => [],
      agentType: (name) => name ?? "",
      typeOf: () => undefined,
      ask: () => Promise.reject(new Error("nobody is asked here")),
      askPlan: () => Promise.reject(new Error("Nobody is asked.")),
      askQuestions: () => Promise.reject(new Error("nobody is asked here")),
      countDenial: () => 1,
    },
    steps: {
      run: (_key, _options, work) => work(),
      child: () => Promise.reject(new Error("nobody spawns here")),
      earlierChild: () => Promise.resolve(undefined),
      wait: (_key, _reason, arrival) => arrival(),
      now: () => 0,
      random: () => 0,
    },
    limits: limitsSchema.parse({}),
    clock: systemClock,
    signal,
    wrapUp: new WrapUp(signal),
    grows: () => undefined,
    report,
    mail: {
      take: () => [],
      expects: false,
      arrival: () => Promise.resolve(),
      close: () => undefined,
    },
    history: { messages: [], turns: 0, pending: null },
  };
}
